"""Policies: what may be marked `verified` without a person, field by field, from a YAML file that the user writes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wholepage.errors import ExitCode, WholepageError
from wholepage.records import Paper, Question, QuestionType
from wholepage.verification import POLICY, Verification, by_policy, decided_by_person, set_verification, verification_of
from wholepage.verification import protected as held_by_person

FIELDS = ("number", "type", "points", "stem", "options", "parts", "answer", "solution", "figures")
BOTH = 2  # parsers that must agree


class PolicyError(WholepageError):
    """A policy file that cannot be read or does not validate."""

    exit_code = ExitCode.USAGE
    default_code = "policy.invalid"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FieldRule(_Model):
    """When a field counts as verified. With `confidence` 0 no evidence is asked for."""

    confidence: float = Field(0.95, ge=0, le=1)
    both_parsers: bool = True
    origins: list[str] = Field(default_factory=list, description="Sources that are believed; empty for all.")


class Policy(_Model):
    """A policy. `every` is the rule of fields that `fields` does not name; `allow` lists codes of issues that do not
    stand in the way; `need` lists fields that must be filled."""

    name: str = Field(min_length=1, max_length=60, pattern=r"^[\w .+-]+$")
    verify: bool = False
    every: FieldRule = FieldRule()
    fields: dict[str, FieldRule] = Field(default_factory=dict)
    types: list[QuestionType] = Field(default_factory=list, description="Types that may be verified; empty for all.")
    need: list[str] = Field(default_factory=list)
    allow: list[str] = Field(default_factory=list)
    digest: str = ""


NOTHING = Policy(name="nothing")


def load_policy(path: Path) -> Policy:
    """A policy from YAML.

    Raises:
        PolicyError: the file cannot be read, is no YAML, or names unknown fields.
    """
    try:
        raw = path.read_bytes()
        data = yaml.safe_load(raw)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise PolicyError(f"Cannot read the policy {path}: {error}.", hint="It must be UTF-8 YAML.") from error
    if not isinstance(data, dict):
        raise PolicyError(f"The policy {path} holds no fields.", hint="docs/checks.md has an example.")
    try:
        policy = Policy.model_validate({"verify": True, **data, "digest": hashlib.sha256(raw).hexdigest()[:12]})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PolicyError(f"Policy {path}: {where}: {first['msg']}.", hint="docs/checks.md has an example.") from error
    unknown = sorted({*policy.fields, *policy.need} - set(FIELDS))
    if unknown:
        raise PolicyError(f"Policy {path}: no field is called {unknown[0]!r}.", hint=f"Fields: {', '.join(FIELDS)}.")
    return policy


def apply_policy(paper: Paper, policy: Policy | None) -> None:
    """Mark what `policy` allows, and take back what an earlier policy marked and this one does not.

    What a person decided stays. With None no policy was given: earlier marks stay while the question has no error.
    """
    for question in paper.questions:
        if decided_by_person(question) or held_by_person(question, FIELDS):
            continue
        if policy is None:
            if by_policy(question) and any(i.severity == "error" for i in question.issues):
                _mark(question, None, False)
            continue
        fields = verified_fields(question, policy)
        filled = set(_filled(question))
        whole = bool(fields) and filled <= set(fields) and set(policy.need) <= filled
        clean = all(i.code in policy.allow for i in question.issues)
        typed = not policy.types or question.type in policy.types
        made = Verification(by=POLICY + policy.name, fields=fields, digest=policy.digest) if fields else None
        _mark(question, made, whole and clean and typed)


def verified_fields(question: Question, policy: Policy) -> list[str]:
    """Fields that the policy's rules let through: filled, without an issue, sure enough."""
    if not policy.verify:
        return []
    doubted = {i.field or "stem" for i in question.issues if i.code not in policy.allow}
    return [
        f for f in _filled(question) if f not in doubted and _passes(question, f, policy.fields.get(f, policy.every))
    ]


def _passes(question: Question, name: str, rule: FieldRule) -> bool:
    evidence = question.evidence.get(name)
    if evidence is None:
        return rule.confidence == 0 and not rule.both_parsers and not rule.origins
    agreed = (evidence.model_extra or {}).get("agreed_by") or []
    if rule.both_parsers and len(set(agreed)) < BOTH:
        return False
    return evidence.confidence >= rule.confidence and (not rule.origins or evidence.origin in rule.origins)


def _filled(question: Question) -> Iterator[str]:
    values = {f: getattr(question, f) for f in FIELDS}
    values["type"] = None if question.type == "unknown" else question.type
    return (f for f in FIELDS if values[f] not in (None, "", []))


def _mark(question: Question, made: Verification | None, verified: bool) -> None:
    """Set status and verification; the day stays where nothing else changed."""
    before = verification_of(question)
    if made is not None:
        same = before is not None and (before.by, before.fields, before.digest) == (made.by, made.fields, made.digest)
        made.when = before.when if before is not None and same else datetime.now(UTC).date().isoformat()
    if made is not None or before is not None:
        set_verification(question, made)
    status = "verified" if verified else "unverified"
    if question.status != status:
        question.status = status  # type: ignore[assignment]
