"""`python -m oldsoul` is the command `oldsoul`."""

from oldsoul.faces.cli import main

if __name__ == "__main__":
    main()
