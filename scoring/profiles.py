"""Scoring profiles: the constants and choices behind a score, as documented and versioned YAML files.

A score always names its profile as `name@version`. A changed constant needs a new version.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from wholepage.errors import ExitCode, WholepageError

DEFAULT_PROFILE = "livek12-paper"
_FORM = "docs/scoring.md shows the form."


class ProfileError(WholepageError):
    """A profile that does not exist or does not validate."""

    exit_code = ExitCode.USAGE
    default_code = "profile.invalid"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OutcomeRules(_Strict):
    """How the answer itself is marked.

    `multi_select`: all_or_nothing; subset_half (a proper subset earns half); per_option; paper (the rule printed on the
    paper); one_point_subset (a proper subset earns one point).
    """

    multi_select: Literal["all_or_nothing", "subset_half", "per_option", "paper", "one_point_subset"] = "subset_half"


class PanelRules(_Strict):
    """How several judges become one verdict.

    `majority`: the label that more than half of the readable judges gave; without one the part stays undecided.
    `mean`: the mean of the fractions that the readable judges gave.
    """

    aggregate: Literal["majority", "mean"] = "majority"


class ProcessRules(_Strict):
    """Which process protocol runs, with its constants.

    `livek12` with penalty `per_kind`: P = max(0, V - tau * kinds present). With penalty `any_error`: P = V without
    an error and 0 with one; more than one error also sets O to 0 in the question's exam score.
    `k12vista`: share of correct steps.
    """

    protocol: Literal["livek12", "k12vista"] = "livek12"
    penalty: Literal["per_kind", "any_error"] = "per_kind"
    tau: float = Field(3.0, ge=0, description="Points that one kind of error costs.")
    w_p: float = Field(0.5, ge=0, le=1, description="Weight of the process in the question's exam score.")


class LengthRules(_Strict):
    """Constants of ARL = mean S (1 + factor * ln(reference / length))."""

    factor: float = Field(0.15, ge=0)
    reference: Literal["fixed", "mean_of_models"] = "fixed"
    tokens: int | None = Field(4096, gt=0, description="Reference length for `fixed`.")

    @model_validator(mode="after")
    def _needs_tokens(self) -> LengthRules:
        if self.reference == "fixed" and self.tokens is None:
            raise ValueError("a fixed reference needs tokens")
        return self


class Profile(_Strict):
    """One profile file."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    version: int = Field(ge=1)
    title: str
    source: str = Field(description="The publication or code that the constants come from.")
    notes: tuple[str, ...] = ()
    outcome: OutcomeRules = OutcomeRules()
    panel: PanelRules = PanelRules()
    process: ProcessRules = ProcessRules()
    length: LengthRules = LengthRules()

    @property
    def label(self) -> str:
        """`name@version`, as every score carries it."""
        return f"{self.name}@{self.version}"


def profile_names() -> list[str]:
    """Names of the profiles that come with the program."""
    folder = resources.files("scoring") / "profiles"
    return sorted(item.name.removesuffix(".yaml") for item in folder.iterdir() if item.name.endswith(".yaml"))


def load_profile(reference: str = DEFAULT_PROFILE) -> Profile:
    """Profile by name, or from a YAML file of the same form given by path.

    Raises:
        ProfileError: there is no such profile, or the file does not validate.
    """
    if reference in profile_names():
        text = (resources.files("scoring") / "profiles" / f"{reference}.yaml").read_text(encoding="utf-8")
        return _parse(text, reference)
    path = Path(reference)
    if path.suffix not in {".yaml", ".yml"}:
        raise ProfileError(
            f"There is no scoring profile {reference!r}.",
            hint=f"Known profiles: {', '.join(profile_names())}; or give the path of a YAML file.",
        )
    try:
        return _parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"Cannot read the profile {path}: {error}.", hint="Give a readable YAML file.") from error


def _parse(text: str, where: str) -> Profile:
    try:
        return Profile.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ProfileError(
            f"The profile {where} is not YAML: {error}.", hint="docs/scoring.md shows the form."
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "file"
        raise ProfileError(f"The profile {where} does not validate: {name}: {first['msg']}.", hint=_FORM) from error
