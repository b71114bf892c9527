"""Charts of usage, placed here and drawn by templates as SVG: no script, and no width of their own."""
