"""Course: the moves of a run in their order, and what was put right among them."""
