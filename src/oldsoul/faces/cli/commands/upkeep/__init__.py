"""Commands that look after a home."""
