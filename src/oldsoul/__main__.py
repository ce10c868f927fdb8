"""`python -m oldsoul` is the command `oldsoul`."""

from oldsoul.faces.cli import main

main()
