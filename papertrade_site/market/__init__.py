"""The exchange's arithmetic, on integers and frozen dataclasses alone.

Everything here is pure: no Django, no network, no cache, no clock. Amounts are integers at the
contract's scales (``scale.py`` names them) and are rounded once, at the edge, by whoever shows them.
The tools and the embedded exchange both call these functions, so a figure is computed in one place.
"""
