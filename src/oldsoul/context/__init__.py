"""What goes into a prompt: slots and budgets, bootstrap files, skills, sections."""
