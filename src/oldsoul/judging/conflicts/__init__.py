"""Which statements disagree."""
