"""One file for each form of recorded runs. The tables of the room above name them all."""
