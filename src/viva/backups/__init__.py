"""Backups: one file with the database, the hub's own SIPs and its secret."""
