"""A bot for a group chat: it hears everybody, replies when it is called by name, and tells nobody what another said in private.

It reads one message a line as JSON and prints each reply as JSON; put your chat service's client in their place. Without a
language model in the settings it replies from memory.

pip install oldsoul
python examples/group_bot.py <<'END'
{"room": "dev", "from": "ext:irc:ann", "name": "Ann", "text": "Please remember that the staging server is called Juno"}
{"from": "ext:irc:ben", "name": "Ben", "text": "Please remember that my door code is yellow"}
{"room": "dev", "from": "ext:irc:ben", "name": "Ben", "text": "main: what is the staging server called?"}
END
"""

import json
import sys
from typing import Any

from oldsoul import Agent, Oldsoul, Session


def conversation(message: dict[str, Any]) -> Session:
    """Where a message was said: in a room, or alone with the agent, as the chat service says."""
    return Session.group(message["room"]) if message.get("room") else Session.dm(message["from"])


def replied(agent: Agent, message: dict[str, Any], session: Session) -> str:
    """Log a message, and reply where a reply is expected: in private always, in a room when called by name."""
    person, name, text = message["from"], message["name"], message["text"]
    called, _, question = text.partition(":")
    if session.room and called.strip().lower() != agent.id:
        agent.hear(text, session=session, sender=name, subject=person)
        return ""
    words = question.strip() if session.room else text
    return agent.respond(words, session=session, sender=name, subject=person).text


def main() -> None:
    """Take messages until there are no more, then make memory of every conversation."""
    with Oldsoul.open() as soul:
        agent = soul.agent("main")
        conversations = set()
        for line in sys.stdin:
            message = json.loads(line)
            session = conversation(message)
            conversations.add(session)
            reply = replied(agent, message, session)
            if reply:
                print(json.dumps({"room": session.room, "to": message["from"], "text": reply}), flush=True)
        for session in conversations:
            agent.talk.end(session)


if __name__ == "__main__":
    main()
