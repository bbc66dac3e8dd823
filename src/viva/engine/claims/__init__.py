"""Claims: what an answer says, held against what was known."""
