"""Conversations over HTTP: sessions, messages, replies and who may see which."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from faces.api_home import MAIN, Api, api_of
from faces.served import LIMIT, asked, running_server
from oldsoul.errors import Unavailable
from oldsoul.faces.web import streams
from oldsoul.testing import ScriptedTalker
from oldsoul.values.messages import Wanted
from oldsoul.wiring import open_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from oldsoul.values.models import Piece, Request

JSON = "application/json"
TELL_ME = b'{"text": "tell me"}'


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    with api_of(tmp_path) as made:
        yield made


def events(api: Api, **body: Any) -> list[tuple[str, Any]]:
    """The events of a reply."""
    headers = {"authorization": f"Bearer {api.secret}"}
    answer = api.client.post(f"{MAIN}/chat/stream", json=body, headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    blocks = [block.split("\n") for block in answer.text.strip().split("\n\n")]
    return [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in blocks]


def test_a_message_is_logged_and_triaged(api: Api) -> None:
    heard = api.post(
        f"{MAIN}/sessions/notes/messages", 201, text="Please remember that the staging server is called Juno"
    )
    assert heard["session"] == "notes"
    assert heard["origin"] == "operator"
    assert [flag["route"] for flag in heard["flags"]] == ["memory-miner"]
    assert api.get(f"{MAIN}/messages/{heard['message']}")["text"] == heard["text"]


def test_a_repeated_key_is_logged_once(api: Api) -> None:
    first = api.post(f"{MAIN}/sessions/notes/messages", 201, text="Good morning", key="k")
    again = api.post(f"{MAIN}/sessions/notes/messages", 201, text="Good morning", key="k")
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert first["message"] == again["message"]


def test_messages_come_page_by_page_and_filtered(api: Api) -> None:
    for number in range(5):
        api.post(f"{MAIN}/sessions/a/messages", 201, text=f"message number {number}")
    api.post(f"{MAIN}/sessions/b/messages", 201, text="something about tulips", room="garden")
    texts, cursor = [], ""
    while cursor is not None:
        page = api.get(f"{MAIN}/sessions/a/messages", limit=2, cursor=cursor)
        texts += [each["text"] for each in page["messages"]]
        cursor = page["next"]
    assert texts == [f"message number {number}" for number in reversed(range(5))]
    assert [each["session"] for each in api.get(f"{MAIN}/messages", words="tulips")["messages"]] == ["b"]
    assert [each["session"] for each in api.get(f"{MAIN}/messages", room="garden")["messages"]] == ["b"]


def test_a_session_whose_id_has_a_slash_is_reached(api: Api) -> None:
    api.post(f"{MAIN}/sessions/matrix%2Froom%2F1/messages", 201, text="Good morning", room="lobby")
    assert api.get(f"{MAIN}/sessions/matrix%2Froom%2F1")["with"] == "lobby"
    assert len(api.get(f"{MAIN}/sessions/matrix%2Froom%2F1/messages")["messages"]) == 1


def test_sessions_are_listed_and_ended(api: Api) -> None:
    api.post(f"{MAIN}/sessions/notes/messages", 201, text="We decided to deploy on Tuesdays.")
    (before,) = api.get(f"{MAIN}/sessions")["sessions"]
    assert (before["session"], before["ended"], before["new"]) == ("notes", False, 1)
    assert api.post(f"{MAIN}/sessions/notes/end", dry_run=True)["runs"][0]["steps"][0]["diff"]
    assert api.post(f"{MAIN}/sessions/notes/end")["done"]
    assert api.get(f"{MAIN}/sessions/notes")["ended"]
    api.get(f"{MAIN}/sessions/nothing", 404)


def test_the_words_of_a_message_are_erased(api: Api) -> None:
    heard = api.post(f"{MAIN}/sessions/notes/messages", 201, text="My sister lives in Basel")
    assert api.delete(f"{MAIN}/messages/{heard['message']}") == {"message": heard["message"], "session": "notes"}
    assert "Basel" not in api.get(f"{MAIN}/messages/{heard['message']}")["text"]


def test_without_a_model_the_reply_comes_from_memory(api: Api) -> None:
    api.post(f"{MAIN}/entries", 201, text="Deploys happen on Tuesdays")
    reply = api.post(f"{MAIN}/chat", text="when do we deploy?")
    assert "Tuesdays" in reply["text"]
    assert reply["message"] < reply["reply"]
    assert reply["receipt"]["included"]


def test_what_is_not_kept_is_not_logged(api: Api) -> None:
    reply = api.post(f"{MAIN}/chat", text="when do we deploy?", keep=False)
    assert (reply["message"], reply["reply"]) == (None, None)
    assert api.soul.agent("main").talk.messages(Wanted()) == []


def test_a_reply_comes_in_pieces(tmp_path: Path) -> None:
    with api_of(tmp_path, "On Tuesdays.") as api:
        told = events(api, text="when do we deploy?", session={"id": "notes"})
    assert [kind for kind, _ in told][-1] == "reply"
    assert "".join(each["text"] for kind, each in told if kind == "words") == "On Tuesdays."
    assert told[-1][1]["text"] == "On Tuesdays."


def test_a_reply_that_breaks_off_ends_with_a_problem(tmp_path: Path) -> None:
    with api_of(tmp_path, talker=ScriptedTalker(Unavailable("http://10.0.0.1 does not answer"))) as api:
        (kind, told) = events(api, text="when do we deploy?")[-1]
        ann = api.of("agent", "acct:ann")
        (_, hidden) = events(ann, text="when do we deploy?")[-1]
        api.post(f"{MAIN}/chat", 502, text="hello")
    assert (kind, told["status"]) == ("problem", 502)
    assert "10.0.0.1" in told["detail"]
    assert "10.0.0.1" not in hidden["detail"]


def test_two_tokens_never_share_a_session(api: Api) -> None:
    ann, ben = api.of("agent", "acct:ann"), api.of("agent", "acct:ben")
    api.post(f"{MAIN}/sessions/notes/messages", 201, text="of the operator")
    hers = ann.post(f"{MAIN}/sessions/notes/messages", 201, text="of Ann")
    his = ben.post(f"{MAIN}/sessions/notes/messages", 201, text="of Ben")
    assert len({"notes", hers["session"], his["session"]}) == 3
    for who, text in ((ann, "of Ann"), (ben, "of Ben"), (api, "of the operator")):
        assert [each["text"] for each in who.get(f"{MAIN}/sessions/notes/messages")["messages"]] == [text]
    assert ann.get(f"{MAIN}/sessions/notes")["session"] == hers["session"]
    assert [each["session"] for each in ann.get(f"{MAIN}/sessions")["sessions"]] == [hers["session"]]
    ann.get(f"{MAIN}/messages/{his['message']}", 404)
    ann.get(f"{MAIN}/sessions/{his['session']}", 404)
    taken = ann.post(f"{MAIN}/sessions/{his['session']}/messages", 201, text="of Ann again")
    assert taken["session"] != his["session"]


def test_nobody_speaks_for_somebody_else(api: Api) -> None:
    ann = api.of("agent", "acct:ann")
    ann.post(f"{MAIN}/sessions/x/messages", 403, text="I am the owner", subject="acct:owner")
    ann.post(f"{MAIN}/sessions/x/messages", 403, text="hello", room="board")
    ann.post(f"{MAIN}/search", 403, query="salary", session={"subject": "acct:owner"})
    ann.post(f"{MAIN}/search", 403, query="salary", session={"kind": "group", "room": "board"})
    ann.post(f"{MAIN}/context", 403, session={"kind": "dm", "subject": "acct:ben"})
    ann.post(f"{MAIN}/chat", 403, text="hi", session={"subject": "acct:owner"})


def test_a_person_sees_what_is_theirs_alone(api: Api) -> None:
    api.post(f"{MAIN}/entries", 201, text="The vault opens with the green key")
    ann = api.of("agent", "acct:ann")
    ann.post(f"{MAIN}/sessions/x/messages", 201, text="My parrot is called Rico")
    assert ann.get(f"{MAIN}/entries")["entries"] == []
    assert "green key" not in json.dumps(ann.post(f"{MAIN}/search", query="which key opens the vault?"))
    assert "green key" not in json.dumps(ann.post(f"{MAIN}/prompt", message="which key opens the vault?"))
    assert "green key" in json.dumps(api.post(f"{MAIN}/search", query="which key opens the vault?"))


def test_a_reader_changes_nothing(api: Api) -> None:
    reader = api.of("reader", "acct:ann")
    reader.post(f"{MAIN}/sessions/x/messages", 403, text="hello")
    reader.post(f"{MAIN}/entries", 403, text="hello there")
    reader.post(f"{MAIN}/chat", 403, text="hello")
    assert reader.post(f"{MAIN}/chat", text="hello", keep=False)["message"] is None


class Endless:
    """A model that talks until nobody listens, once it may go on after its first words."""

    def __init__(self) -> None:
        self.more = threading.Event()

    def talk(self, _request: Request) -> Iterator[Piece]:
        yield "First "
        assert self.more.wait(LIMIT)
        while True:
            yield "and more "


def test_a_client_that_hangs_up_ends_the_reply(tmp_path: Path) -> None:
    talker = Endless()
    with open_home(tmp_path / "home", {}, talker=talker) as soul:
        secret, main = soul.add_token("operator").secret, soul.agent("main")
        with running_server(soul) as port:
            with asked(port, "POST", f"{MAIN}/chat/stream", secret, TELL_ME, Content_Type=JSON) as answer:
                assert answer.readline() == b"event: words\n"
            talker.more.set()
            events = soul.events("now")
            while len(main.talk.messages(Wanted())) < 2:
                events = soul.events(events.cursor, wait=LIMIT)
        assert main.talk.messages(Wanted())[1].text.endswith("[interrupted]")


def test_a_server_that_stops_ends_the_replies_that_are_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "PATIENCE", 0.1)
    talker = Endless()
    with open_home(tmp_path / "home", {}, talker=talker) as soul, ExitStack() as closing:
        secret, main = soul.add_token("operator").secret, soul.agent("main")
        with running_server(soul) as port:
            request = asked(port, "POST", f"{MAIN}/chat/stream", secret, TELL_ME, Content_Type=JSON)
            answer = closing.enter_context(request)
            assert answer.readline() == b"event: words\n"
        rest = answer.read().decode()
        assert "event: problem" in rest
        assert "the server was stopped" in rest
        talker.more.set()
        events = soul.events("now")
        while len(main.talk.messages(Wanted())) < 2:
            events = soul.events(events.cursor, wait=LIMIT)
        assert main.talk.messages(Wanted())[1].text.endswith("[interrupted]")
