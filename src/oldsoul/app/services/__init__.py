"""The services of an agent: its verbs by subject, each with the right that it needs."""
