"""Reports: analyses as a table on a terminal, as one page of HTML, as JUnit XML."""
