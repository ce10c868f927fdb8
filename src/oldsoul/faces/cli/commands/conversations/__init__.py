"""Commands for what is said, and by whom."""
