"""One tool of the Analytics server a file."""
