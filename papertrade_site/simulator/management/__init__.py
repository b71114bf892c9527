"""The simulator on the command line."""
