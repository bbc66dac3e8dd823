"""Tests of the adapters of agents, with real programs and real HTTP servers."""
