"""Running the service on one machine, and the addresses that tell how it is."""
