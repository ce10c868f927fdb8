"""Conversations: what is said, what is made of it, and the diary."""
