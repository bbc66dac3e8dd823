"""One command for an exam: an agent sits an evaluation, or examines who sits, over a hub's API like anybody else."""
