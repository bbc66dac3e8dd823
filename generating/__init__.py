"""Writes the files of the client that are made from the routes of the API."""
