"""The parts of a scored corpus for other programs: to and from files (outside), and over HTTP (listing)."""
