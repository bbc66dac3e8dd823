"""Notices: e-mails, notices on pages, and webhooks."""
