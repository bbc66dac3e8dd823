"""Goals: what the user wants at each point of a run, and what else an agent may have followed."""
