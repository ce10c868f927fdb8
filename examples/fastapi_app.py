"""A web application whose users talk with one agent; each sees what is theirs, and what is public.

The users are the tokens that `oldsoul token add --person …` makes. Without a language model in the settings the agent
replies from memory.

pip install 'oldsoul[server]'
oldsoul token add --person acct:ann
python examples/fastapi_app.py
curl -H "Authorization: Bearer os_…" -H 'Content-Type: application/json' -d '{"text": "hello"}' http://127.0.0.1:8000/chat
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Request
from pydantic import BaseModel

from oldsoul import AsyncOldsoul, Caller, Refused, Session


@asynccontextmanager
async def opened(app: FastAPI) -> AsyncIterator[None]:
    """The home, open as long as the application runs."""
    async with AsyncOldsoul.open() as soul:
        app.state.soul = soul
        yield


app = FastAPI(lifespan=opened)


class Message(BaseModel):
    """What a user says."""

    text: str


class User:
    """Who asks: their private conversation, and the agent as it may act in it."""

    def __init__(self, soul: AsyncOldsoul, person: str) -> None:
        self.session = Session.dm(person)
        self.agent = soul.agent("main", caller=Caller.agent("web app", session=self.session))


async def user(request: Request, authorization: Annotated[str, Header()] = "") -> User:
    """The user of a request, by their token; nothing in the request's text says who speaks."""
    soul = request.app.state.soul
    try:
        token = await soul.check_token(authorization.removeprefix("Bearer "))
    except Refused as error:
        raise HTTPException(401, "a token that is valid, please") from error
    return User(soul, token.person.id)


@app.post("/chat")
async def chat(message: Message, who: Annotated[User, Depends(user)]) -> dict[str, str]:
    """A reply."""
    response = await who.agent.respond(message.text, session=who.session)
    return {"text": response.text}


@app.get("/memory")
async def memory(who: Annotated[User, Depends(user)]) -> list[dict[str, Any]]:
    """What the agent remembers that this user may see."""
    entries = await who.agent.memory.entries(session=who.session)
    return [{"text": entry.text, "file": entry.path, "line": entry.line} for entry in entries]


@app.post("/end")
async def end(who: Annotated[User, Depends(user)]) -> dict[str, int]:
    """Make memory of what was said since the last time."""
    reports = await who.agent.talk.end(who.session)
    return {"changes": sum(report.changes for report in reports)}


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", "8000")))
