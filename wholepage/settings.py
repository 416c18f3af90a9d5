"""Settings from WHOLEPAGE_* environment variables, with the defaults that the commands use.

Read once per command through `load_settings()`; nothing reads settings at import time.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from wholepage.errors import WholepageError


class Settings(BaseSettings):
    """One field a setting; `WHOLEPAGE_DPI=150` sets `dpi` and so on."""

    model_config = SettingsConfigDict(env_prefix="WHOLEPAGE_", extra="ignore")

    workspace: Path = Field(Path("wholepage-data"), description="Where papers, ledger and quarantine live.")
    dpi: int = Field(200, ge=100, le=600, description="Resolution at which PDF pages are rendered.")
    jobs: int = Field(1, ge=1, description="Worker processes for pages.")
    page_seconds: int = Field(900, ge=1, description="A worker process gives up a page that takes longer.")
    threads: int = Field(0, ge=0, description="OCR threads in a process; 0 = cores divided by jobs.")
    formula_engine: str = Field("embedded", description="What reads formulas: embedded, pp-formulanet.")
    formula_model: str = Field("", description="Model of a plugged formula engine; empty for its default.")
    template: str = Field("auto", description="Template name, or auto to pick by evidence.")
    parser: Literal["rules", "model", "both"] = Field(
        "rules", description="What takes papers apart; a model is set up by WHOLEPAGE_PARSER_* (docs/model-parser.md)."
    )
    max_page_pixels: int = Field(
        60_000_000, ge=1_000_000, description="Pages larger than this are rendered at a lower resolution."
    )
    max_source_bytes: int = Field(2_000_000_000, ge=1, description="Larger source files are refused.")
    max_image_bytes: int = Field(
        500_000_000, ge=1, description="A single image in a zip that unpacks to more than this is refused."
    )
    settle_seconds: float = Field(
        2.0, ge=0.0, description="How long a file in the inbox must stay unchanged before `watch` takes it."
    )
    max_pages: int = Field(5_000, ge=1, description="Files with more pages are refused.")


def load_settings() -> Settings:
    """Settings as the environment has them now.

    Raises:
        WholepageError: a variable has a value that is not usable.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "WHOLEPAGE_" + "_".join(str(p) for p in first["loc"]).upper()
        message = f"{name}={first.get('input')!r} is not usable: {first['msg']}."
        raise WholepageError(message, hint="Correct or unset the variable.", code="settings.invalid") from error
