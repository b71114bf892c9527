"""History that outlives the venue's: recorded point by point, and joined to what the venue still tells."""
