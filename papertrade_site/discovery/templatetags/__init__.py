"""Template filters of the discovery documents."""
