"""The models that are served: where they come from, who holds them, what they answer, how they learn."""
