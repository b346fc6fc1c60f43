"""Label Studio's ML backend: tasks in, regions, links and relations out."""
