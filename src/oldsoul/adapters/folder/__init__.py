"""Documents as files in folders: the default store."""
