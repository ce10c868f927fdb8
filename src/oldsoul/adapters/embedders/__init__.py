"""Those who turn texts into vectors."""
