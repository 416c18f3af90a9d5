"""Who verified a question and which of its fields: kept beside its `status` as the field `verification`.

`by` is `person:NAME` or `policy:NAME`. A question that is verified without this field was verified by a person.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field, ValidationError

from wholepage.records import Question, Record

PERSON, POLICY = "person:", "policy:"


class Verification(Record):
    """Who verified, which fields, and when (ISO date); `digest` names the bytes of the policy file."""

    by: str
    fields: list[str] = Field(default_factory=list)
    when: str = ""
    digest: str = ""


def verification_of(question: Question) -> Verification | None:
    """The question's verification, None when it has none that can be read."""
    stored = (question.model_extra or {}).get("verification")
    if isinstance(stored, Verification):
        return stored
    try:
        return Verification.model_validate(stored) if stored is not None else None
    except ValidationError:
        return None


def set_verification(question: Question, verification: Verification | None) -> None:
    """Keep who verified, or forget it."""
    if verification is not None:
        question.verification = verification.model_dump(mode="json")  # type: ignore[attr-defined]
    elif question.model_extra is not None:
        question.model_extra.pop("verification", None)


def by_policy(question: Question) -> bool:
    """Whether a policy, and no person, verified the question or fields of it."""
    found = verification_of(question)
    return found is not None and found.by.startswith(POLICY)


def decided_by_person(question: Question) -> bool:
    """Whether a person verified or rejected the whole question."""
    return question.status != "unverified" and not by_policy(question)


def protected(question: Question, fields: Sequence[str]) -> bool:
    """Whether a person verified one of `fields`, or the whole question: then no program changes them."""
    if decided_by_person(question):
        return True
    found = verification_of(question)
    return found is not None and found.by.startswith(PERSON) and any(f in found.fields for f in fields)
