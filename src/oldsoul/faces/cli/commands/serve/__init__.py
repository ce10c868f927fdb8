"""Commands for programs that reach the home over HTTP."""
