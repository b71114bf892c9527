"""Everything that leaves the process: HTTP, one module per source, wire models, budgets, cached reads."""
