"""The address tables of hosts that stand for one server; ``hosts.py`` chooses among them by name."""
