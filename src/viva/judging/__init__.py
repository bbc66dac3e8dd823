"""The judge: a model behind an OpenAI-compatible endpoint that reads quoted text and rules or grades; knows no domain word."""
