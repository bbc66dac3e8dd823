"""One file for each library or store whose spans are read. The tables of the room above name them all."""
