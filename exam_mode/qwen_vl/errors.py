"""The one error of this package, and the check for the packages it needs."""

from __future__ import annotations

from importlib.util import find_spec

from wholepage.errors import MissingExtraError, WholepageError

PACKAGES = ("torch", "torchvision", "transformers", "qwen_vl_utils")


class QwenModelError(WholepageError):
    """A model that cannot be loaded or a request that it cannot serve.

    Codes: model.options, model.not_found, model.load_failed, model.wrong_family, model.out_of_memory,
    model.image, model.message, model.unsupported.
    """

    default_code = "model.failed"


def require_packages() -> None:
    """Raise MissingExtraError, which names the install command, when a package of the extra `vlm` is absent."""
    for name in PACKAGES:
        if find_spec(name) is None:
            raise MissingExtraError.for_extra("vlm", name.replace("_", "-"))
