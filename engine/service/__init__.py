"""Trained models over HTTP: our own REST, and the protocols of the tools that people already use.

The front (app, access, reading, metrics) is asynchronous and does no work of its own: it checks who asks and how much,
and hands the bytes on. Everything else (parsing, deciding, writing) is plain functions from a request to a reply, run
by a pool (pool.py) of threads or processes.
"""
