"""Prices of models from a table that the user can edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from exam_mode.errors import ExamOptionError


class Price(BaseModel):
    """Money per million tokens. Without `cached_input`, cached input costs as much as other input."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(None, ge=0, allow_inf_nan=False)
    currency: str = Field("USD", min_length=1, max_length=8)

    def of(self, input_tokens: int, output_tokens: int, cached: int = 0) -> float:
        """Money for one call; `cached` is the part of the input that came from a cache."""
        cached = min(cached, input_tokens)
        warm = self.input if self.cached_input is None else self.cached_input
        return ((input_tokens - cached) * self.input + cached * warm + output_tokens * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Entries in the order in which they are tried."""

    entries: tuple[tuple[str, Price], ...]

    def price(self, model: str) -> Price | None:
        """The model's price; None when the table has none."""
        name = model.lower()
        return next((p for pattern, p in self.entries if fnmatchcase(name, pattern.lower())), None)


_TABLE = TypeAdapter(dict[str, Price])


def load_prices(own: Path | None = None) -> PriceTable:
    """The user's table followed by the shipped one.

    Raises:
        ExamOptionError: the user's file cannot be read or does not follow the form.
    """
    shipped = _parse(files("exam_mode").joinpath("prices.yaml").read_text(encoding="utf-8"), "prices.yaml")
    mine: Mapping[str, Price] = {}
    if own is not None:
        try:
            mine = _parse(own.read_text(encoding="utf-8"), str(own))
        except (OSError, UnicodeDecodeError) as error:
            raise ExamOptionError(
                f"Cannot read the prices {own}: {error}.", hint="--prices takes a YAML file."
            ) from error
    return PriceTable((*mine.items(), *shipped.items()))


def _parse(text: str, name: str) -> Mapping[str, Price]:
    try:
        return _TABLE.validate_python(yaml.safe_load(text) or {})
    except (yaml.YAMLError, ValidationError) as error:
        said = error.errors()[0] if isinstance(error, ValidationError) else None
        reason = f"{'.'.join(str(p) for p in said['loc'])}: {said['msg']}" if said else str(error)
        raise ExamOptionError(
            f"The prices {name} are not usable: {reason}.",
            hint="Form: MODEL: {input: 1.0, output: 4.0, cached_input: 0.1, currency: USD}, per million tokens.",
        ) from error
