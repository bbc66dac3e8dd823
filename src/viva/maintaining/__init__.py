"""Maintaining a hub: suspending, hiding, verifying, reports, invitations and rights."""
