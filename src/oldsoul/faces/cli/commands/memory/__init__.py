"""Commands that look at memory and write it."""
