"""Results: the stored outcomes of attempts."""
