"""Running the service: the command that starts everything, and the addresses that tell how it is."""
