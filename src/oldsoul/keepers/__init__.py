"""Pipelines that maintain memory, as generators over values."""
