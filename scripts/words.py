"""Makes the list of English words in `src/oldsoul/tables` from SCOWL's large American list.

python scripts/words.py american-english-large

The file is the one that Debian's package wamerican-large 2020.12.07-2 installs as /usr/share/dict/american-english-large. Words
in Latin letters without accents are kept, in small letters, in order, with some that are newer than the list.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import sys
from pathlib import Path

LIST = "7722e490a1575058326569c778fcb8e93b3cf866452c0f54bfd1c22817ad5a90"
NEWER = """
    airbnb backend burndown chai chatbot chatgpt codebase coworking crypto cron devops ebike etsy frontend fullstack
    gitlab grafana influencer kanban kombucha kubernetes lyft matcha microservice middleware nginx nvme oauth offboarding
    onboarding openai postgres realtime roadmap serverless signup siri spotify sudo telehealth tiktok todo uber uptime
    vite vlan vlog webhook whatsapp yaml
"""
"""Words that came into use after the list was made."""
TO = Path(__file__).parents[1] / "src/oldsoul/tables/english.txt.gz"


def main() -> None:
    """Make it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path, help="the list it is made from")
    data = parser.parse_args().list.read_bytes()
    if hashlib.sha256(data).hexdigest() != LIST:
        sys.exit("This is not the list that the words are taken from: its SHA-256 is another.")
    told = [*data.decode().split(), *NEWER.split()]
    words = sorted({word.lower() for word in told if word.isascii() and word.isalpha()})
    made = gzip.compress("\n".join(words).encode(), 9, mtime=0)
    TO.write_bytes(made)
    print(f"{TO}: {len(words):,} words, {len(made):,} bytes, SHA-256 {hashlib.sha256(made).hexdigest()}")


if __name__ == "__main__":
    main()
