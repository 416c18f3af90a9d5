"""The parts of the qwen-vl provider that need no torch: names, options, reasoning, messages, the batch queue."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError
from pathlib import Path
from types import SimpleNamespace

import pytest

from exam_mode.qwen_vl import errors
from exam_mode.qwen_vl.batching import Batcher
from exam_mode.qwen_vl.errors import QwenModelError
from exam_mode.qwen_vl.images import open_image
from exam_mode.qwen_vl.messages import harmless, to_chat
from exam_mode.qwen_vl.options import QwenOptions
from exam_mode.qwen_vl.reasoning import split_reasoning
from exam_mode.qwen_vl.revisions import folder_fingerprint, known_revisions, resolve
from wholepage.errors import MissingExtraError
from wholepage.extras import install_command


def test_known_ids_are_pinned_to_full_commits() -> None:
    table = known_revisions()
    assert {"Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen3-VL-8B-Instruct"} <= set(table)
    for name, commit in table.items():
        weights = resolve(name)
        assert (weights.revision, weights.pinned, weights.local) == (commit, True, False)


@pytest.mark.parametrize(
    ("name", "revision", "pinned"),
    [
        ("Somebody/Other-VL", None, False),
        ("Somebody/Other-VL", "main", False),
        ("Somebody/Other-VL", "a" * 40, True),
        ("Qwen/Qwen3-VL-8B-Instruct", "main", False),
    ],
)
def test_unknown_ids_say_whether_they_are_pinned(name: str, revision: str | None, pinned: bool) -> None:
    weights = resolve(name, revision)
    assert (weights.revision, weights.pinned) == (revision, pinned)


def test_folders(tmp_path: Path) -> None:
    assert resolve(str(tmp_path)).local
    with pytest.raises(QwenModelError, match="has no revision"):
        resolve(str(tmp_path), "main")
    for name in ("./nowhere", "nowhere", str(tmp_path / "absent")):
        with pytest.raises(QwenModelError, match="no model folder") as caught:
            resolve(name)
        assert caught.value.code == "model.not_found"


def test_fingerprint_changes_with_files(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"1234")
    first = folder_fingerprint(tmp_path)
    assert first == folder_fingerprint(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    assert folder_fingerprint(tmp_path) != first


def test_options_name_what_does_not_fit() -> None:
    assert QwenOptions.of({"batch_size": "4", "dtype": "float16"}).batch_size == 4
    for arguments, text in [
        ({"batchsize": 4}, "batchsize=4"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"dtype": "int8"}, "dtype='int8'"),
        ({"min_pixels": 9, "max_pixels": 4}, "min_pixels=9"),
    ]:
        with pytest.raises(QwenModelError, match=text):
            QwenOptions.of(arguments)


def test_missing_packages_name_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: None if name == "qwen_vl_utils" else object())
    with pytest.raises(MissingExtraError, match="qwen-vl-utils") as caught:
        errors.require_packages()
    assert install_command("vlm") in caught.value.hint


WORDS = ["<think>", "</think>", "ab", "c", "\n", "<", "th", "ink", ">", "</"]


@pytest.mark.parametrize(
    ("ids", "opened", "answer", "reasoning", "tokens"),
    [
        ([2, 3], False, "abc", "", 0),
        ([0, 2, 3, 1, 3], False, "c", "abc", 2),
        ([4, 0, 4, 2, 1, 4, 4, 3], False, "c", "ab", 2),
        ([0, 2, 3], False, "", "abc", 2),  # cut off while thinking
        ([2, 3, 1, 3], True, "c", "abc", 2),  # the template opened the tag
        ([2, 3], True, "", "abc", 2),
        ([5, 6, 7, 8, 2, 3, 3, 9, 6, 7, 8, 3], False, "c", "abcc", 3),  # tags of several tokens
        ([2, 0, 3, 1], False, "ab<think>c</think>", "", 0),  # quoted later, not reasoning
        ([0, 1, 3], False, "c", "", 0),
        ([], True, "", "", 0),
    ],
)
def test_reasoning_is_counted_between_its_tags(
    ids: list[int], opened: bool, answer: str, reasoning: str, tokens: int
) -> None:
    split = split_reasoning(ids, lambda part: "".join(WORDS[i] for i in part), opened)
    assert (split.answer, split.reasoning, split.tokens) == (answer, reasoning, tokens)


def message(role: str, *parts: object) -> SimpleNamespace:
    return SimpleNamespace(
        role=role, content=parts[0] if len(parts) == 1 and isinstance(parts[0], str) else list(parts)
    )


def test_messages_keep_the_order_of_text_and_images() -> None:
    image = SimpleNamespace(type="image", image="data:x")
    text = SimpleNamespace(type="text", text="question")
    thought = SimpleNamespace(type="reasoning", reasoning="hm")
    chat, images = to_chat([message("system", "be brief"), message("user", image, text), message("assistant", thought)])
    assert [m["role"] for m in chat] == ["system", "user", "assistant"]
    assert chat[1]["content"] == [{"type": "image"}, {"type": "text", "text": "question"}]
    assert chat[2]["content"] == []
    assert images == ["data:x"]


def test_what_cannot_be_sent_is_refused() -> None:
    for odd in (message("tool", "x"), message("user", SimpleNamespace(type="audio"))):
        with pytest.raises(QwenModelError, match="cannot take"):
            to_chat([odd])


def test_special_tokens_in_text_are_broken() -> None:
    text = harmless("a<|im_end|>b", ["<|im_end|>"])
    assert "<|im_end|>" not in text
    assert text.replace("\u2060", "") == "a<|im_end|>b"
    assert harmless("a < b | c", ["<|im_end|>"]) == "a < b | c"


@pytest.mark.parametrize(
    "source",
    [
        "https://example.org/a.png",
        "data:image/png;base64,@@@",
        "data:image/png,abc",
        "data:;base64,AAAA",
        "/nowhere.png",
    ],
)
def test_images_that_cannot_be_read(source: str) -> None:
    with pytest.raises(QwenModelError, match="Cannot read the image") as caught:
        open_image(source)
    assert caught.value.code == "model.image"


def test_long_data_urls_do_not_fill_the_message() -> None:
    with pytest.raises(QwenModelError) as caught:
        open_image("data:image/png;base64," + "A" * 10_000)
    assert len(str(caught.value)) < 400


# --- the batch queue ---------------------------------------------------------------------------------------------


def test_equal_keys_share_batches_up_to_the_size() -> None:
    seen: list[list[int]] = []
    gate = threading.Event()

    def work(items: list[int]) -> list[int]:
        gate.wait(5)
        seen.append(list(items))
        return [i * 10 for i in items]

    queue: Batcher[int, int] = Batcher(work, key=lambda i: i % 2, size=3, wait=0.05)  # type: ignore[arg-type]
    futures = [queue.submit(i) for i in range(10)]
    gate.set()
    assert [f.result(5) for f in futures] == [i * 10 for i in range(10)]
    assert sorted(i for batch in seen for i in batch) == list(range(10))
    assert all(len(batch) <= 3 and len({i % 2 for i in batch}) == 1 for batch in seen)
    assert max(len(batch) for batch in seen) == 3
    queue.close()


def test_a_lonely_request_waits_no_longer_than_the_limit() -> None:
    queue: Batcher[int, int] = Batcher(list, key=lambda _: 0, size=100, wait=0.1)
    started = time.monotonic()
    assert queue.submit(1).result(5) == 1
    assert 0.09 <= time.monotonic() - started < 2
    queue.close()


def test_errors_reach_every_caller_and_the_queue_goes_on() -> None:
    def work(items: list[int]) -> list[int]:
        if 0 in items:
            raise ValueError("no")
        return items

    queue: Batcher[int, int] = Batcher(work, key=lambda _: 0, size=2, wait=0.2)  # type: ignore[arg-type]
    bad = [queue.submit(0), queue.submit(1)]
    for future in bad:
        with pytest.raises(ValueError, match="no"):
            future.result(5)
    assert queue.submit(2).result(5) == 2
    queue.close()


def test_too_few_replies_are_an_error() -> None:
    queue: Batcher[int, int] = Batcher(lambda items: [], key=lambda _: 0, size=1, wait=0)
    with pytest.raises(RuntimeError, match="0 replies to 1"):
        queue.submit(1).result(5)
    queue.close()


def test_cancelled_requests_are_left_out() -> None:
    seen: list[int] = []
    queue: Batcher[int, int] = Batcher(lambda items: seen.extend(items) or list(items), lambda _: 0, 2, wait=0.3)  # type: ignore[func-returns-value]
    assert queue.submit(1).cancel()
    assert queue.submit(3).result(5) == 3
    assert seen == [3]
    queue.close()


def test_closing_cancels_what_waits() -> None:
    queue: Batcher[int, int] = Batcher(list, key=lambda _: 0, size=9, wait=60)
    future = queue.submit(1)
    queue.close()
    with pytest.raises(CancelledError):
        future.result(1)
    with pytest.raises(RuntimeError, match="closed"):
        queue.submit(2)
