"""Tools that every room uses and that know no domain word."""
