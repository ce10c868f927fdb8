"""The world outside: files, databases, models; each behind a port."""
