"""How much one client may ask, who one client is, and how that is counted across all processes."""
