"""The arcs of a document: which there are, how their mentions compare, numbers or weights of their features."""
