"""Where the model is and what it may cost: WHOLEPAGE_PARSER_* environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from wholepage.errors import ExitCode, WholepageError


class ModelSetupError(WholepageError):
    """The model parser was asked for and cannot be used: nothing is set, or a value is not usable."""

    exit_code = ExitCode.USAGE
    default_code = "model.setup"


class ModelOptions(BaseSettings):
    """One field a setting; `WHOLEPAGE_PARSER_MODEL=qwen3` sets `model` and so on."""

    model_config = SettingsConfigDict(env_prefix="WHOLEPAGE_PARSER_", extra="ignore", frozen=True)

    model: str = Field("", description="Name of the model as the server knows it.")
    base_url: str = Field("", description="Address of an OpenAI-compatible server up to and including /v1.")
    api_key: SecretStr = Field(SecretStr(""), description="Key of that server.")
    second: str = Field("", description="Another model of that server, asked about corrections of digits and signs.")
    vision: bool = Field(False, description="Send the page images too.")
    concurrency: int = Field(4, ge=1, le=64, description="Requests under way at once.")
    window: int = Field(6000, ge=500, le=200_000, description="Characters of page text in one request.")
    reply_tokens: int = Field(8192, ge=256, description="Longest reply, in tokens.")
    timeout: float = Field(180.0, gt=0, description="Seconds that one reply may take.")
    tries: int = Field(3, ge=1, le=10, description="Tries of a request that got no reply.")
    pause: float = Field(1.0, ge=0, description="Seconds before the second try; doubled each time.")
    repairs: int = Field(2, ge=0, le=5, description="Times that a model is shown what is wrong with its reply.")
    max_tokens: int = Field(0, ge=0, description="Tokens that a run may use, 0 for no limit.")
    max_cost: float = Field(0.0, ge=0, description="Money that a run may cost, 0 for no limit; needs the prices.")
    price_in: float = Field(0.0, ge=0, description="Price of a million tokens sent.")
    price_out: float = Field(0.0, ge=0, description="Price of a million tokens of replies.")


def load_options(environ: Mapping[str, str] | None = None, model: str | None = None) -> ModelOptions:
    """Options as the environment has them, but for `model` where one is given.

    OPENAI_BASE_URL and OPENAI_API_KEY stand in, always together.

    Raises:
        ModelSetupError: no model or address is set, or a value is not usable.
    """
    env = os.environ if environ is None else environ
    try:
        options = ModelOptions()
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = "WHOLEPAGE_PARSER_" + "_".join(str(p) for p in first["loc"]).upper()
        raise ModelSetupError(f"{name} is not usable: {first['msg']}.", hint="Correct or unset it.") from error
    if model:
        options = options.model_copy(update={"model": model})
    if not options.base_url:
        # A key for one service is not sent to another: OPENAI_API_KEY goes only where OPENAI_BASE_URL points.
        key = options.api_key.get_secret_value() or env.get("OPENAI_API_KEY", "")
        options = options.model_copy(update={"base_url": env.get("OPENAI_BASE_URL", ""), "api_key": SecretStr(key)})
    return checked(options)


def checked(options: ModelOptions) -> ModelOptions:
    """The options, if a model can be asked with them.

    Raises:
        ModelSetupError: no model, no http(s) address, or a cap on money without prices.
    """
    if not options.model:
        raise ModelSetupError("No model is set for the model parser.", hint="Set WHOLEPAGE_PARSER_MODEL to its name.")
    parts = urlsplit(options.base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ModelSetupError(
            f"{options.base_url!r} is no address for the model {options.model}.",
            hint="Set WHOLEPAGE_PARSER_BASE_URL, for example http://127.0.0.1:8000/v1.",
        )
    if options.max_cost and not (options.price_in or options.price_out):
        raise ModelSetupError(
            "WHOLEPAGE_PARSER_MAX_COST is set, and no price is.",
            hint="Set WHOLEPAGE_PARSER_PRICE_IN and WHOLEPAGE_PARSER_PRICE_OUT, per million tokens.",
        )
    return options
