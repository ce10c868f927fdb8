"""Talk with an agent whose model your program asks itself; Oldsoul remembers. End with Ctrl-D.

pip install oldsoul openai
OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3.2 python examples/chat_loop.py
"""

import os
import sys
from typing import Any

from openai import OpenAI

from oldsoul import Oldsoul, Session, Turn

NEEDED = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL")


def asked(client: OpenAI, name: str, turns: list[Turn]) -> str:
    """The model's reply to a conversation."""
    messages: Any = [{"role": turn.speaker.value, "content": turn.text} for turn in turns]
    return client.chat.completions.create(model=name, messages=messages).choices[0].message.content or ""


def main() -> None:
    """Read messages from standard input, print the replies, and make memory of the conversation at its end."""
    missing = [name for name in NEEDED if not os.environ.get(name)]
    if missing:
        sys.exit(f"Set {', '.join(missing)}: the address, key and name of a model that speaks OpenAI's protocol.")
    client = OpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"])
    me = Session.dm()
    with Oldsoul.open() as soul:
        agent = soul.agent("main")
        for line in sys.stdin:
            if line.strip():
                exchange = agent.exchange(line.strip(), session=me)  # logged, and corrected where you correct something
                reply = asked(client, os.environ["OPENAI_MODEL"], list(exchange.turns()))
                exchange.answered(reply)
                print(reply, flush=True)
        agent.talk.end(me)


if __name__ == "__main__":
    main()
