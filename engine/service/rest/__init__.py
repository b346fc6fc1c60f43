"""Our own REST interface: its paths, their endpoints, and its OpenAPI description."""
