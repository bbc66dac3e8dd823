"""Reading traces: files, and the forms a recorded run comes in."""
