"""Team: how agents speak to each other, and how facts go from one to the next."""
