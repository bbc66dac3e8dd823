"""Sessions: hosted runs with a channel that Viva keeps."""
