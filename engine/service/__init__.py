"""Trained models over HTTP: a REST interface of our own, and the protocols of annotation and evaluation tools.

The front end (app, access, reading, metrics) is asynchronous and does little work itself: it checks access and limits,
and passes the body of a request on. Everything else (parsing, deciding, writing) is done by plain functions from a
request to a reply, run by a pool (pool.py) of threads or processes.
"""
