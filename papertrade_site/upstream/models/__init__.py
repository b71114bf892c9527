"""What each source's answers mean: one module per subject, built from the scalars of ``wire.py``."""
