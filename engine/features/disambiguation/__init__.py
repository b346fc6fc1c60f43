"""Documents with ambiguous mentions -> flat arrays of candidates, local features and pair features."""
