"""What every training needs, whatever the system: stopping, resuming, choosing settings, work done once."""
