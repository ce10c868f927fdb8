"""Mem0 as a second memory."""
