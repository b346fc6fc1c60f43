"""Our own REST: its paths, what answers them, and the document that describes them."""
