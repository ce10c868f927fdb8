"""What is kept in SQLite files of the home."""
