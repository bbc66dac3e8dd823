"""The analysis engine: scores a recorded run of agents; pure, with no database, network or clock."""
