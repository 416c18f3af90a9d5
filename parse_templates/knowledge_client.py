"""The one request of `wholepage tag`: an OpenAI-compatible server that the environment names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from parse_templates.knowledge import Ask, NoReplyError
from wholepage.errors import ExitCode, MissingExtraError, WholepageError

TIMEOUT = 120.0  # seconds
TRIES = 3
REPLY_TOKENS = 4096


class TagModelError(WholepageError):
    """No model is set, or its server cannot be used at all."""

    exit_code = ExitCode.USAGE
    default_code = "model.setup"


def model_client(model: str | None = None, environ: Mapping[str, str] | None = None) -> tuple[Ask, str]:
    """A function that asks the model, and the model's name.

    WHOLEPAGE_PARSER_BASE_URL, _MODEL and _API_KEY say where; OPENAI_BASE_URL and OPENAI_API_KEY stand in together.

    Raises:
        TagModelError: no model or no address is set.
        MissingExtraError: the openai package is not installed.
    """
    env = os.environ if environ is None else environ
    name = model or env.get("WHOLEPAGE_PARSER_MODEL", "")
    base, key = env.get("WHOLEPAGE_PARSER_BASE_URL", ""), env.get("WHOLEPAGE_PARSER_API_KEY", "")
    if not base:  # a key for one service is not sent to another
        base, key = env.get("OPENAI_BASE_URL", ""), key or env.get("OPENAI_API_KEY", "")
    if not name:
        raise TagModelError("No model is set for knowledge tags.", hint="Give --model or set WHOLEPAGE_PARSER_MODEL.")
    parts = urlsplit(base)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise TagModelError(
            f"{base!r} is no address for the model {name}.",
            hint="Set WHOLEPAGE_PARSER_BASE_URL, for example http://127.0.0.1:8000/v1.",
        )
    try:
        import openai
    except ImportError as error:
        raise MissingExtraError.for_extra("model", "openai") from error
    local = parts.hostname in {"127.0.0.1", "localhost", "::1"}
    http = openai.DefaultHttpxClient(follow_redirects=False, trust_env=not local)
    client = openai.OpenAI(
        base_url=base, api_key=key or "none", max_retries=TRIES - 1, timeout=TIMEOUT, http_client=http
    )

    def ask(system: str, user: str) -> str:
        try:
            reply = client.chat.completions.create(
                model=name,
                messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
                max_tokens=REPLY_TOKENS,
                temperature=0,
            )
            return reply.choices[0].message.content or ""
        except openai.AuthenticationError as error:
            raise TagModelError(f"{base} refuses the key.", hint="Check WHOLEPAGE_PARSER_API_KEY.") from error
        except openai.APIConnectionError as error:
            raise TagModelError(f"Nothing answers at {base}.", hint="Start the server or correct the URL.") from error
        except (openai.OpenAIError, ValueError, IndexError, AttributeError, TypeError) as error:
            raise NoReplyError(f"{name}: {type(error).__name__}") from error

    return ask, name
