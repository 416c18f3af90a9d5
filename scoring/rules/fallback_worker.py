"""The child process of `fallback`: reads [gold, given] lines and answers true, false or null."""

from __future__ import annotations

import contextlib
import json
import sys


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        limit = 3 * 1024**3
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _equal(gold: str, given: str) -> bool | None:
    from math_verify import LatexExtractionConfig, parse, verify

    settings = [LatexExtractionConfig(boxed_match_priority=-1)]
    sides = [parse(f"${text}$", extraction_config=settings, parsing_timeout=None) for text in (gold, given)]
    if not all(sides) or any(isinstance(side[0], str) for side in sides):
        return None
    left, right = sides[0][:1], sides[1][:1]
    options = {"float_rounding": 15, "numeric_precision": 30, "timeout_seconds": None, "raise_on_error": True}
    return bool(verify(left, right, **options) and verify(right, left, **options))


def main() -> None:
    """Answer until the input ends."""
    _limit_memory()
    for line in sys.stdin:
        reply: bool | None = None
        with contextlib.suppress(Exception):  # any failure of the library is no answer
            gold, given = json.loads(line)
            reply = _equal(str(gold), str(given))
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
