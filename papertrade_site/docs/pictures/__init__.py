"""Live pictures: what the tools find, drawn as SVG for pages, for other sites, and without scripts.

``ladder``, ``skew``, ``paper_curve``, ``sparkline`` and ``history`` are pure: a tool's result in, placed
shapes out. ``registry`` says which picture is drawn of which tools, ``results`` calls those, ``drawn`` makes
the SVG by the templates, and ``views`` answers for it.
"""
