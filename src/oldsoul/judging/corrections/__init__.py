"""What puts something right, and what it does to what was said before."""
