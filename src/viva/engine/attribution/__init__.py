"""Attribution: which interaction made the mistake on which a run failed."""
