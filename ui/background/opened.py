"""The workspace that this server shows, opened once."""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st

from engine.store.workspace import Workspace


def directory() -> Path:
    return Path(os.environ.get("ESPALIER_WORKSPACE") or "workspace").resolve()


@st.cache_resource(show_spinner=False)
def _workspace(directory: str, url: str) -> Workspace:
    return Workspace.open(Path(directory))


def workspace() -> Workspace:
    return _workspace(str(directory()), os.environ.get("ESPALIER_DATABASE_URL", ""))


def is_remote() -> bool:
    """Whether the tables are on a database server instead of in the workspace's directory."""
    return bool(os.environ.get("ESPALIER_DATABASE_URL"))


def set_aside() -> Path:
    """Keep the damaged database under another name and start a fresh one."""
    _workspace.clear()
    return Workspace.set_aside(directory())
