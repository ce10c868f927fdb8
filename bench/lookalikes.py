"""Makes the table of characters that look alike, by which names are compared, from Unicode's own.

`python bench/lookalikes.py confusables.txt > src/oldsoul/language/lookalikes.txt`, with `confusables.txt` of UTS 39 (Unicode
licence v3). What is written is a line for each text that others look like: that text, a tab, and the characters. Marks
and what nobody sees are left out: names are compared without them.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

UNSEEN = ("M", "C", "Z")
"""The first letters of the categories of marks, controls and spaces."""


def main() -> None:
    """Print the table."""
    rows: dict[str, list[str]] = {}
    version = ""
    for line in Path(sys.argv[1]).read_text("utf-8-sig").splitlines():
        version = line.removeprefix("# Version: ") if line.startswith("# Version: ") else version
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) < 3:
            continue
        source = chr(int(fields[0], 16))
        seen = "".join(chr(int(code, 16)) for code in fields[1].split())
        target = "".join(char for char in seen if not is_unseen(char))
        if target and not is_unseen(source) and unicodedata.normalize("NFKD", source) != target:
            rows.setdefault(target, []).append(source)
    print(f"# Made by bench/lookalikes.py from confusables.txt of Unicode {version} (UTS 39, Unicode License v3).")
    for target in sorted(rows):
        print(f"{target}\t{''.join(sorted(rows[target]))}")


def is_unseen(char: str) -> bool:
    """Whether a character is a mark, or none that is seen; one that this Python does not know is left out too."""
    return unicodedata.category(char)[0] in UNSEEN


if __name__ == "__main__":
    main()
