"""The documentation site of both servers: pages, their Markdown twins, and the files that machines read."""
