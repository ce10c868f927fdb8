"""Talk to an Agno agent whose soul, rules and memory are an Oldsoul workspace. End with Ctrl-D.

pip install 'oldsoul[agno]' openai
OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_API_KEY=none OPENAI_MODEL=llama3.2 python examples/agno_agent.py
"""

import os
import sys

from agno.models.openai.like import OpenAILike

from oldsoul import Oldsoul, Session
from oldsoul.faces.agno import agno_agent

NEEDED = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL")


def main() -> None:
    """Read messages from standard input, and print what the agent replies."""
    missing = [name for name in NEEDED if not os.environ.get(name)]
    if missing:
        sys.exit(f"Set {', '.join(missing)}: the address, key and name of a model that speaks OpenAI's protocol.")
    address, key, name = (os.environ[each] for each in NEEDED)
    with Oldsoul.open() as soul:
        model = OpenAILike(id=name, base_url=address, api_key=key)
        agent = agno_agent(soul.agent("main"), session=Session.dm(), model=model)
        for line in sys.stdin:
            if line.strip():
                print(agent.run(line.strip()).content, flush=True)


if __name__ == "__main__":
    main()
