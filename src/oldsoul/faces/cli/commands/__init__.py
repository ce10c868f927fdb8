"""The commands, one folder for each kind of work they are for."""
