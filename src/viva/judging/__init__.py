"""The judge: a model behind an OpenAI-compatible endpoint that rules on quoted texts or grades them."""
