"""Evaluations: what can be taken, as SIP documents and as the catalogue made from them."""
