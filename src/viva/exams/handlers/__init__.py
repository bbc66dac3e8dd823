"""Handlers: one file for each. A SIP names the handler that makes its challenges and decides its attempts."""
