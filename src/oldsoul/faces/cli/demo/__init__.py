"""The demo home: two weeks in the life of an agent, played from a script through the public methods."""
