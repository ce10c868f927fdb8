"""Replies: what is said to an agent goes to a language model with all it should know, and what it answers is kept."""
