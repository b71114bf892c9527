"""The shell on the command line."""
