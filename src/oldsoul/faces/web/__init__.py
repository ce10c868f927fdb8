"""What the faces that listen on a port have in common: sockets, host names, bodies, streams."""
