"""What a text says without any model: words, sentences, numbers, names, polarity."""
