"""Commands that show what changed, and take it back."""
