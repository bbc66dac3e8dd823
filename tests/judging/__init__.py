"""Tests of the judge port, against a real HTTP server that speaks the protocol."""
