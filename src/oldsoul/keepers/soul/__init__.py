"""The soul keeper."""
