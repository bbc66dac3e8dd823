"""`python -m viva` is the command `viva`."""

from viva.cli import main

main()
