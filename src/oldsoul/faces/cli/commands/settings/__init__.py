"""Commands that set things up."""
