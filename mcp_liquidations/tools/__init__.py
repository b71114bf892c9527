"""One tool of the Liquidations server a file."""
