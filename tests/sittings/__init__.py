"""Tests of sitting and examining: real hubs, real agents of every form."""
