"""The view package of the toy system."""
