"""Between the kernel and the sources: how a tool of either server reads, shows figures, and says no."""
