"""Records of LiveK12Bench and K12Vista into a workspace and back."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from exam_mode.interchange.commands import (
    ExportOptions,
    ImportOptions,
    exit_code,
    export_lines,
    export_records,
    import_lines,
    import_records,
)
from exam_mode.interchange.items import InterchangeError
from exam_mode.interchange.texts import split_options
from exam_mode.interchange.to_paper import ImportResult
from wholepage.records import Paper, Question
from wholepage.workspace import Workspace


def png(colour: str = "red", size: tuple[int, int] = (12, 8), kind: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, colour).save(buffer, kind)
    return buffer.getvalue()


LIVE: list[dict[str, Any]] = [
    {
        "id": "zh_2603_math_0001",
        "set": "2603",
        "subject": "math",
        "question_type": "选择题",
        "point_value": 5,
        "question": "若 $z(1+i)=2$，则 $z=$（ ）\n\nA．$1-i$ B．$1+i$ C．$i$ D．$-i$\n",
        "answer": ["A"],
        "solution": "$z=\\frac{2}{1+i}=1-i$。",
        "knowledge_points": "复数; 复数的除法",
        "images": [],
    },
    {
        "id": "zh_2603_math_0002",
        "set": "2603",
        "subject": "math",
        "question_type": "选择题",
        "point_value": 6,
        "question": "如图，下列说法正确的是\nA. 甲\nB. 乙\nC. 丙\nD. 丁",
        "answer": ["ACD"],
        "solution": "",
        "knowledge_points": "函数图象",
        "images": ["figs/a.png", "figs/b.jpg"],
        "subset": ["complex_layout"],
    },
    {
        "id": "en_2605_physics_0001",
        "set": "2605",
        "subject": "physics",
        "question_type": "Fill in the Blank",
        "point_value": 0,
        "question": "The speed is ____ m/s and the mass ____ kg.",
        "answer": ["3", "2"],
        "solution": "v = 3",
        "knowledge_points": "Kinematics;Mass",
        "images": None,
    },
]


def live_folder(folder: Path) -> Path:
    (folder / "figs").mkdir(parents=True)
    (folder / "figs/a.png").write_bytes(png("red"))
    (folder / "figs/b.jpg").write_bytes(png("blue", (20, 10), "JPEG"))
    path = folder / "set.json"
    path.write_text(json.dumps(LIVE, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def vista_line(**changes: Any) -> dict[str, Any]:
    line = {
        "hash_id": "abc123",
        "type": "选择题",
        "subject": "math-g9",
        "difficulty": "难",
        "knowledge_point": ["圆", "切线"],
        "question": "如图<image>，$AB$ 是圆的切线，则（ ）\nA. 1\nB. 2\nC. 3\nD. 4",
        "img": base64.b64encode(png("green", (30, 30), "JPEG")).decode(),
        "img_caption": "一个圆和一条切线",
        "format_answer": {"ground_truth": ["B"], "format_solution": ["第一步", "第二步"]},
    }
    return {**line, **changes}


def load(workspace: Path, result: ImportResult) -> list[Paper]:
    return [Workspace(workspace).load(paper) for paper in result.papers]


def test_livek12_records_become_papers_by_language_set_and_subject(tmp_path: Path) -> None:
    result = import_records(ImportOptions(live_folder(tmp_path / "in"), tmp_path / "ws"))
    assert (result.questions, result.figures, result.problems) == (3, 2, [])
    math, physics = load(tmp_path / "ws", result)
    assert (math.subject, math.language, math.title) == ("math", "zh", "LiveK12Bench zh_2603_math")
    assert (physics.subject, physics.language) == ("physics", "en")
    first, second = math.questions
    assert first.id == f"{math.id}/1.1" and first.type == "multiple_choice" and first.points == 5
    assert first.stem == "若 $z(1+i)=2$，则 $z=$（ ）"
    assert [(o.label, o.text) for o in first.options] == [
        ("A", "$1-i$"), ("B", "$1+i$"), ("C", "$i$"), ("D", "$-i$"),
    ]  # fmt: skip
    assert first.knowledge_points == ["复数", "复数的除法"] and first.status == "unverified"
    assert second.type == "multi_select" and second.answer == ["ACD"] and second.tags == ["complex_layout"]
    folder = tmp_path / "ws/papers" / math.id
    assert [(folder / f.file).read_bytes() for f in second.figures] == [
        png("red"), png("blue", (20, 10), "JPEG"),
    ]  # fmt: skip
    assert all(f"![]({f.file})" in second.stem for f in second.figures)
    blanks = physics.questions[0]
    assert blanks.type == "fill_in_blank" and blanks.answer == ["3", "2"] and blanks.points is None


def test_accept_marks_questions_as_verified(tmp_path: Path) -> None:
    result = import_records(ImportOptions(live_folder(tmp_path / "in"), tmp_path / "ws", accept=True))
    assert {q.status for paper in load(tmp_path / "ws", result) for q in paper.questions} == {"verified"}


@pytest.mark.parametrize("name", ["out.json", "out.jsonl", "out.parquet", "out"])
def test_livek12_goes_round_through_every_container(tmp_path: Path, name: str) -> None:
    import_records(ImportOptions(live_folder(tmp_path / "in"), tmp_path / "one"))
    exported = export_records(ExportOptions(tmp_path / "one", tmp_path / name))
    assert exported.records == 3 and exported.losses == ()
    again = import_records(ImportOptions(tmp_path / name, tmp_path / "two"))
    assert again.problems == []
    images = {1: [png("red"), png("blue", (20, 10), "JPEG")]}
    wanted = {r["id"]: {k: v for k, v in r.items() if k not in {"images", "subset"}} for r in LIVE}
    found = {}
    for paper in load(tmp_path / "two", again):
        for question in paper.questions:
            origin = (question.model_extra or {})["interchange"]
            found[origin["id"]] = {k: v for k, v in origin["record"].items() if k != "subset"}
            files = [(tmp_path / "two/papers" / paper.id / f.file).read_bytes() for f in question.figures]
            assert files == images.get(next(i for i, r in enumerate(LIVE) if r["id"] == origin["id"]), [])
            assert question.tags == next(r.get("subset", []) for r in LIVE if r["id"] == origin["id"])
    assert found == wanted


def test_unchanged_records_come_back_word_for_word_and_changed_ones_from_their_fields(tmp_path: Path) -> None:
    result = import_records(ImportOptions(live_folder(tmp_path / "in"), tmp_path / "ws"))
    workspace = Workspace(tmp_path / "ws")
    paper = workspace.load(result.papers[0])
    paper.questions[0].options[1].text = "$1+2i$"
    workspace.save(paper)
    export_records(ExportOptions(tmp_path / "ws", tmp_path / "out.json"))
    records = {r["id"]: r for r in json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))}
    assert records["zh_2603_math_0001"]["question"] == (
        "若 $z(1+i)=2$，则 $z=$（ ）\nA. $1-i$\nB. $1+2i$\nC. $i$\nD. $-i$"
    )
    assert records["zh_2603_math_0002"]["question"] == LIVE[1]["question"]
    assert records["zh_2603_math_0001"]["set"] == "2603"


def test_chinese_field_names_are_read(tmp_path: Path) -> None:
    old = {"题型": "证明题", "分值": "12", "题目": "证明 $a>b$。", "答案": "略", "解答": "由题设。", "图像": None}
    path = tmp_path / "paper7.json"
    path.write_text(json.dumps([old], ensure_ascii=False), encoding="utf-8")
    paper = load(tmp_path / "ws", import_records(ImportOptions(path, tmp_path / "ws")))[0]
    question = paper.questions[0]
    assert (question.type, question.points, question.answer, question.solution) == ("proof", 12, ["略"], "由题设。")
    assert paper.title == "LiveK12Bench zh_paper7"


def test_k12vista_goes_round(tmp_path: Path) -> None:
    lines = [
        vista_line(),
        vista_line(hash_id="d2", type="问答题", subject="physics-g12", question="求速度。", img="", img_caption=""),
    ]
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    result = import_records(ImportOptions(path, tmp_path / "ws"))
    math, physics = load(tmp_path / "ws", result)
    assert (math.subject, math.level, physics.level) == ("math", "g9", "g12")
    question = math.questions[0]
    assert question.stem == "如图![](figures/q1-1.jpg)，$AB$ 是圆的切线，则（ ）"
    assert [o.text for o in question.options] == ["1", "2", "3", "4"]
    assert question.figures[0].caption == "一个圆和一条切线" and question.tags == ["难"]
    assert question.solution == "第一步\n第二步" and question.answer == ["B"]
    exported = export_records(ExportOptions(tmp_path / "ws", tmp_path / "out.jsonl", form="k12vista"))
    assert exported.losses == ()
    back = {line["hash_id"]: line for line in map(json.loads, (tmp_path / "out.jsonl").read_text("utf-8").splitlines())}
    assert back == {line["hash_id"]: line for line in lines}


def test_one_form_into_the_other_lists_what_is_lost(tmp_path: Path) -> None:
    import_records(ImportOptions(live_folder(tmp_path / "in"), tmp_path / "ws"))
    exported = export_records(ExportOptions(tmp_path / "ws", tmp_path / "out.jsonl", form="k12vista"))
    lost = {loss.field: loss for loss in exported.losses}
    assert set(lost) == {"options", "points", "type", "tags", "figures"}
    assert len(lost["points"].questions) == 2 and "first is written" in lost["figures"].reason
    assert any(line.startswith("Not kept: figures") for line in export_lines(exported))
    record = json.loads((tmp_path / "out.jsonl").read_text("utf-8").splitlines()[1])
    assert base64.b64decode(record["img"]) == png("red") and record["question"].count("<image>") == 2


def ingested(folder: Path) -> Paper:
    """A paper as ingestion writes it, with everything that the forms cannot hold."""
    workspace = Workspace(folder).create()
    question = {
        "id": "p1/2.13", "number": "13", "section": "解答题", "type": "open_ended", "points": 12.5,
        "stem": "如图 ![](figures/f1.png) 所示。",
        "parts": [
            {"label": "(1)", "text": "求 $x$。", "points": 5, "answer": ["2"], "solution": "x=2"},
            {"label": "(2)", "text": "求 $y$。", "points": 7.5, "answer": ["3"]},
        ],
        "figures": [{"id": "f1", "file": "figures/f1.png", "page": 1, "bbox": [0, 0, 12, 8], "caption": "图"}],
        "regions": [{"page": 1, "bbox": [0, 0, 100, 50]}], "knowledge_points": ["力", "运动"], "status": "verified",
        "difficulty": 0.5, "material": "m1", "evidence": {"stem": {"raw": "如图"}},
    }  # fmt: skip
    paper = Paper.model_validate(
        {
            "id": "p1",
            "subject": "physics",
            "language": "zh",
            "source": {"file": "a.pdf", "sha256": "0" * 64, "bytes": 1, "pages": 1, "kind": "digital"},
            "questions": [question, {**question, "id": "p1/2.14", "number": "14", "status": "rejected"}],
        }
    )
    (workspace.paper_dir("p1") / "figures").mkdir(parents=True)
    (workspace.paper_dir("p1") / "figures/f1.png").write_bytes(png())
    workspace.save(paper)
    return paper


def test_an_ingested_paper_as_livek12(tmp_path: Path) -> None:
    ingested(tmp_path / "ws")
    exported = export_records(ExportOptions(tmp_path / "ws", tmp_path / "out.json"))
    assert (exported.records, exported.left_out) == (1, 1)
    record = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))[0]
    assert record["question"] == "如图 <image> 所示。\n(1) 求 $x$。\n(2) 求 $y$。"
    assert (record["question_type"], record["point_value"], record["answer"]) == ("解答题", 12.5, ["2", "3"])
    assert record["solution"] == "(1) x=2" and record["knowledge_points"] == "力; 运动"
    assert [(tmp_path / name).read_bytes() for name in record["images"]] == [png()]
    assert {loss.field for loss in exported.losses} == {
        "regions", "status", "evidence, issues", "material", "difficulty", "section, number", "parts", "parts.points",
        "points", "figures.caption",
    }  # fmt: skip


def test_points_that_are_not_whole_stay_in_columns(tmp_path: Path) -> None:
    ingested(tmp_path / "ws")
    export_records(ExportOptions(tmp_path / "ws", tmp_path / "out.parquet"))
    again = import_records(ImportOptions(tmp_path / "out.parquet", tmp_path / "two"))
    assert load(tmp_path / "two", again)[0].questions[0].points == 12.5


def test_fields_that_columns_do_not_hold_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({**LIVE[0], "teacher": "Li"}), encoding="utf-8")
    import_records(ImportOptions(path, tmp_path / "ws"))
    assert [loss.field for loss in export_records(ExportOptions(tmp_path / "ws", tmp_path / "o")).losses] == ["teacher"]
    assert export_records(ExportOptions(tmp_path / "ws", tmp_path / "o.jsonl")).losses == ()
    assert json.loads((tmp_path / "o.jsonl").read_text("utf-8"))["teacher"] == "Li"


# --- bad input ---------------------------------------------------------------------------------------------------


def test_bad_lines_are_named_and_the_others_read(tmp_path: Path) -> None:
    good = json.dumps(LIVE[0], ensure_ascii=False)
    odd = [
        ({"question": ""}, "no question text"),
        ({"question_type": "作文题"}, "question_type '作文题' is not known"),
        ({"point_value": "many"}, "point_value is no number"),
        ({"point_value": -3}, "out of range"),
        ({"answer": [{"a": 1}]}, "answer is not text but dict"),
        ({"images": ["../secret.png"]}, "points outside"),
        ({"images": ["absent.png"]}, "cannot read absent.png"),
        ({"images": [{"bytes": "AAAA"}]}, "not an image that can be read"),
        ({"images": [7]}, "not an image but int"),
    ]
    lines = [good, "{broken", "[1]", "", good]
    lines += [json.dumps({**LIVE[0], "id": f"x{i}", **change}, ensure_ascii=False) for i, (change, _) in enumerate(odd)]
    path = tmp_path / "zh_1.jsonl"
    path.write_bytes("\n".join(lines).encode() + b"\n\xff\n")
    result = import_records(ImportOptions(path, tmp_path / "ws"))
    assert result.questions == 1 and exit_code(result) == 3
    texts = ["not JSON", "not an object but list", "stands already in", *(text for _, text in odd), "not UTF-8"]
    places = [2, 3, 5, *range(6, 6 + len(odd)), 6 + len(odd)]
    assert len(result.problems) == len(texts)
    for problem, text, line in zip(result.problems, texts, places, strict=True):
        assert problem.startswith(f"{path}, line {line}: ") and text in problem
    assert sum(line.startswith("Left out: ") for line in import_lines(result)) == len(texts)


def test_arrays_name_the_line_of_a_record_and_of_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[\n {"question": "x"},\n\n {"question": 5,\n  "answer": {}}\n]', encoding="utf-8")
    result = import_records(ImportOptions(path, tmp_path / "ws"))
    assert result.problems == [f"{path}, line 4: answer is not text but dict."]
    for text, line in [('[\n{"a": 1},\n{"a": }]', 3), ('[\n{"a": 1}\n', 3), ('[\n{"a": 1}\n{"a": 2}]', 3)]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InterchangeError, match=f"a.json, line {line}:"):
            import_records(ImportOptions(path, tmp_path / "ws2"))


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.json", "x.txt", "absent.json"])
def test_damaged_files_are_one_error(tmp_path: Path, name: str) -> None:
    if name != "absent.json":
        (tmp_path / name).write_bytes(b"PAR1 not really")
    with pytest.raises(InterchangeError, match=name):
        import_records(ImportOptions(tmp_path / name, tmp_path / "ws"))
    assert not list((tmp_path / "ws").glob("papers/*"))


def test_cut_off_arrow_files_are_damaged(tmp_path: Path) -> None:
    import_records(ImportOptions(live_folder(tmp_path / "in"), tmp_path / "ws"))
    export_records(ExportOptions(tmp_path / "ws", tmp_path / "out"))
    shard = tmp_path / "out/data-00000-of-00001.arrow"
    shard.write_bytes(shard.read_bytes()[:-400])
    with pytest.raises(InterchangeError, match=r"data-00000-of-00001\.arrow"):
        import_records(ImportOptions(tmp_path / "out", tmp_path / "two"))


def test_a_second_import_keeps_reviewed_papers(tmp_path: Path) -> None:
    options = ImportOptions(live_folder(tmp_path / "in"), tmp_path / "ws")
    first = import_records(options)
    workspace = Workspace(tmp_path / "ws")
    paper = workspace.load(first.papers[0])
    paper.questions[0].status = "verified"
    workspace.save(paper)
    second = import_records(options)
    assert second.papers == [] and second.kept == first.papers
    assert workspace.load(first.papers[0]).questions[0].status == "verified"


def test_targets_of_a_wrong_kind(tmp_path: Path) -> None:
    import_records(ImportOptions(live_folder(tmp_path / "in"), tmp_path / "ws"))
    for options in (
        ExportOptions(tmp_path / "ws", tmp_path / "out.csv"),
        ExportOptions(tmp_path / "ws", tmp_path / "out.parquet", form="k12vista"),
        ExportOptions(tmp_path / "ws", tmp_path / "out.json", verified=True),
    ):
        with pytest.raises(InterchangeError):
            export_records(options)


def test_a_missing_figure_names_the_question(tmp_path: Path) -> None:
    paper = ingested(tmp_path / "ws")
    (tmp_path / "ws/papers" / paper.id / "figures/f1.png").unlink()
    with pytest.raises(InterchangeError, match=r"Question p1/2\.13: cannot read the figure figures/f1\.png"):
        export_records(ExportOptions(tmp_path / "ws", tmp_path / "out.json"))


def test_shards_and_splits(tmp_path: Path) -> None:
    """Folders as the hub and save_to_disk lay them out: data/SPLIT-00000-of-00001.parquet, SPLIT/data-….arrow."""
    import_records(ImportOptions(live_folder(tmp_path / "in"), tmp_path / "ws"))
    export_records(ExportOptions(tmp_path / "ws", tmp_path / "hub/data/zh_2603-00000-of-00001.parquet"))
    export_records(ExportOptions(tmp_path / "ws", tmp_path / "saved/zh_2603"))
    (tmp_path / "saved/dataset_dict.json").write_text('{"splits": ["zh_2603"]}')
    for source in ("hub", "saved"):
        result = import_records(ImportOptions(tmp_path / source, tmp_path / f"{source}-ws"))
        assert result.questions == 3 and result.problems == []


@pytest.mark.parametrize(
    ("text", "stem", "options"),
    [
        ("问（ ）A．甲 B．乙 C．丙 D．丁", "问（ ）", "甲乙丙丁"),
        ("Which?\nA. one\nB. two\nC. three", "Which?", ["one", "two", "three"]),
        ("点 A、B 在圆上，则\nA: 1\nB: 2\nC: 3\nD: 4", "点 A、B 在圆上，则", "1234"),
        ("设 A. 为真\n选\nA. x\nB. y", "设 A. 为真\n选", "xy"),
        ("没有选项，点 A、B、C 共线", None, []),
        ("A. 只有一个", None, []),
        ("缺一项\nA. x\nC. z", None, []),
        ("空的\nA. \nB. y", None, []),
    ],
)
def test_options_are_split_only_when_certain(text: str, stem: str | None, options: str | list[str]) -> None:
    found, split = split_options(text)
    assert found == (text if stem is None else stem)
    assert [body for _, body in split] == list(options)


def test_a_choice_question_whose_options_stay_in_the_text_says_so(tmp_path: Path) -> None:
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({**LIVE[0], "question": "选哪个？甲、乙"}), encoding="utf-8")
    question: Question = load(tmp_path / "ws", import_records(ImportOptions(path, tmp_path / "ws")))[0].questions[0]
    assert [issue.code for issue in question.issues] == ["options.not_split"]
