"""What makes finished work stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from wholepage.fingerprints import code_digest


def test_a_new_model_in_a_package_is_new_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "fingerprinted"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "reader.onnx").write_bytes(b"one")
    monkeypatch.syspath_prepend(str(tmp_path))
    code_digest.cache_clear()
    first = code_digest("fingerprinted")
    (package / "notes.txt").write_text("no code")
    code_digest.cache_clear()
    assert code_digest("fingerprinted") == first
    (package / "reader.onnx").write_bytes(b"two")
    code_digest.cache_clear()
    assert code_digest("fingerprinted") != first
    code_digest.cache_clear()
