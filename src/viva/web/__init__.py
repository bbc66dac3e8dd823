"""The pages: HTML from the hub's database, for people with a browser."""
