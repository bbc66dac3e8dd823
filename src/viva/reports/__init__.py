"""Reports: analyses as a table on a terminal, an HTML page, or JUnit XML."""
