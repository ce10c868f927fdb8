"""What people put right of what the agent said: `putting` is the door, the rest are the ways in which they do it."""
