"""The keepers of one agent at work: what each is given, and what is noted when it is done."""
