"""Work beside the service that one process of all machines' does, until it is asked to stop."""
