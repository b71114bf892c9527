"""The operators' rooms below ``/admin/``: who may enter, what is shown there, and what can be changed."""
