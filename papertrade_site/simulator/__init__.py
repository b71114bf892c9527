"""The embedded exchange: a seeded little market behind the venue's own paths and wire format.

``world`` lives: prices move, traders open and close, positions bust. ``exchange`` holds the rules and
everyone's money, with all arithmetic from ``market/``. ``venue`` answers requests from it.
"""
