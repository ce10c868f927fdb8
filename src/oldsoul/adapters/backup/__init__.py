"""Backups: the home at one moment, written to one file, and unpacked again."""
