"""Commands of ``manage.py`` about the sources."""
