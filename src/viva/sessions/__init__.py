"""Sessions: runs that Viva hosts, each with a channel of messages."""
