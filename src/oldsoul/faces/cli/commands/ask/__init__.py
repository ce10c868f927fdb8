"""Commands that show what a session finds and is told."""
