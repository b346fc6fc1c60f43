"""Entity linking on the mention lattice (Yang and Chang 2015)."""
