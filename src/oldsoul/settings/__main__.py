"""Prints the reference of all settings: `python -m oldsoul.settings > docs/reference/settings.md`."""

import sys

from oldsoul.settings.reference import page


def main() -> None:
    """Writes the page to standard output."""
    sys.stdout.write(page())


if __name__ == "__main__":
    main()
