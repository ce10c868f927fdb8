"""What deserves memory."""
