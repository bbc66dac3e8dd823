"""Talk: what users and agents do with their words, message by message."""
