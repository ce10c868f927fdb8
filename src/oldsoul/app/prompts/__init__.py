"""What an agent is told: its context, its prompt, its tools and skills."""
