"""Label Studio's ML backend: tasks in, regions, links, relations and choices out."""
