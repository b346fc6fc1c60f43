"""Joint entities and relations under constraints."""
