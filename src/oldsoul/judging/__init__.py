"""What corrects, what disagrees, and what deserves memory."""
