"""Reading traces from files and from other forms."""
