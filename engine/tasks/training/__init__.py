"""What training needs in every system: stopping, resuming, choosing settings, and reusing prepared data."""
