"""What a server tells about itself before anyone connects: card, registry entry, description, directory."""
