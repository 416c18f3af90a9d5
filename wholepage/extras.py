"""How to install an extra here: from the folder that wholepage was installed from, else by its name."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution
from shlex import quote
from urllib.parse import unquote, urlparse


def install_command(extras: str) -> str:
    """The command that installs `extras` ("exam,score") into this environment.

    A folder's installation is repeated from that folder, as the package index may hold no or another wholepage.
    """
    folder, editable = _installed_from()
    target = quote(f"{folder or 'wholepage'}[{extras}]")
    return f"pip install {'-e ' if editable else ''}{target}"


def _installed_from() -> tuple[str, bool]:
    """The local folder that pip installed from and whether it is edited in place; ("", False) otherwise (PEP 610)."""
    try:
        recorded = json.loads(distribution("wholepage").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "", False
    info = recorded.get("dir_info")
    url = urlparse(str(recorded.get("url", "")))
    if info is None or url.scheme != "file":
        return "", False
    return unquote(url.path), bool(info.get("editable"))
