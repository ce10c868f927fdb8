"""The types everything else is written in: frozen, shared by all, pure."""
