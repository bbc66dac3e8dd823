"""Background work that outlives the process: a queue in the database."""
