"""Corpora from and to running servers of Label Studio and INCEpTION, over their REST interfaces."""
