"""PostgreSQL: the chat log and the index of homes that several machines share."""
