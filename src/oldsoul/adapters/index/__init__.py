"""The embedded index: one SQLite file an agent, its columns in memory, words and vectors searched with numpy."""
