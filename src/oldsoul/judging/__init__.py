"""What puts right, what disagrees, and what deserves memory."""
