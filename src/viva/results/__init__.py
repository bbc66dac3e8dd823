"""Results: the kept outcomes of attempts."""
