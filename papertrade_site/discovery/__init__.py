"""What a server tells about itself before anyone connects: cards, registry entry, description, refusals."""
