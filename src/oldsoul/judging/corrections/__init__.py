"""What the operator corrects: the forms in which it is said, the log of it, and what says the wrong thing again."""
