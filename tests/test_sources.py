"""Opening sources and reading pages: every kind of file that people drop, and those that must be refused."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from ingest.render import PageReader, RawPage, read_page_image, write_page
from ingest.sources import Source, open_source
from wholepage.boxes import POINTS_PER_INCH
from wholepage.errors import PageError, SourceError
from wholepage.settings import Settings

SETTINGS = Settings()


def make_pdf(path: Path, pages: int = 2, size: tuple[float, float] = (595, 842), **save: object) -> Path:
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page(width=size[0], height=size[1])
        page.insert_text((72, 100), f"第{number}页 选择题", fontname="china-s", fontsize=14)
        page.draw_rect((72, 700, 90, 720), fill=(0, 0, 0))
    document.save(path, **save)
    document.close()
    return path


def picture(colour: tuple[int, int, int] = (10, 120, 240), size: tuple[int, int] = (60, 80)) -> Image.Image:
    """White with a block of `colour` in the upper left quarter."""
    image = Image.new("RGB", size, "white")
    image.paste(colour, (0, 0, size[0] // 2, size[1] // 2))
    return image


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def read(source: Source, number: int = 1, settings: Settings = SETTINGS) -> RawPage:
    reader = PageReader(settings)
    try:
        with reader.read(source.page(number), number) as raw:
            return raw
    finally:
        reader.close()


def make_zip(path: Path, entries: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def refused(path: Path, code: str, password: str | None = None, settings: Settings = SETTINGS) -> SourceError:
    with pytest.raises(SourceError) as caught:
        open_source(path, password, settings)
    assert caught.value.code == code, caught.value
    assert caught.value.hint
    return caught.value


class TestPdf:
    def test_pages_are_rendered_at_the_stated_resolution(self, tmp_path: Path) -> None:
        source = open_source(make_pdf(tmp_path / "卷.pdf"))
        assert (source.kind, source.page_count, source.issues) == ("pdf", 2, ())
        raw = read(source, 2)
        assert raw.dpi == 200
        assert raw.image.shape == (2339, 1653, 3)
        assert raw.image.dtype == np.uint8
        scale = 200 / POINTS_PER_INCH
        assert raw.image[int(710 * scale), int(80 * scale)].max() < 10

    def test_rotate_entry_is_respected(self, tmp_path: Path) -> None:
        path = make_pdf(tmp_path / "a.pdf", 1)
        with pymupdf.open(path) as document:
            document[0].set_rotation(90)
            document.save(tmp_path / "b.pdf")
        raw = read(open_source(tmp_path / "b.pdf"))
        assert raw.image.shape[:2] == (1653, 2339)
        scale = 200 / POINTS_PER_INCH  # a clockwise quarter turn takes (x, y) to (height − y, x)
        assert raw.image[int(80 * scale), int((842 - 710) * scale)].max() < 10

    def test_huge_page_is_rendered_at_a_lower_resolution_and_says_so(self, tmp_path: Path) -> None:
        source = open_source(make_pdf(tmp_path / "a0.pdf", 1, (2384, 3370)))
        raw = read(source, settings=Settings(max_page_pixels=2_000_000))
        assert raw.image.shape[0] * raw.image.shape[1] <= 2_020_000
        assert 24 < raw.dpi < 200
        assert raw.image.shape[1] == pytest.approx(2384 / POINTS_PER_INCH * raw.dpi, abs=2)
        assert [i.code for i in raw.issues] == ["page.downscaled"]

    def test_encrypted(self, tmp_path: Path) -> None:
        path = make_pdf(tmp_path / "x.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw="密码 1")
        assert "needs a password" in refused(path, "file.encrypted").message
        assert "not opened by this password" in refused(path, "file.encrypted", "wrong").message
        source = open_source(path, "密码 1")
        assert source.page_count == 2
        assert (read(source).image < 50).any()

    def test_owner_password_alone_needs_none(self, tmp_path: Path) -> None:
        path = make_pdf(tmp_path / "x.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_128, owner_pw="owner", user_pw="")
        assert (read(open_source(path)).image < 50).any()

    def test_damage(self, tmp_path: Path) -> None:
        data = make_pdf(tmp_path / "ok.pdf").read_bytes()
        (tmp_path / "noise.pdf").write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 20)
        (tmp_path / "renamed.pdf").write_bytes(b"just some words, long enough to be read\n" * 9)
        (tmp_path / "login.pdf").write_bytes(b"<!DOCTYPE html><html><body>Sign in</body></html>")
        (tmp_path / "cut.pdf").write_bytes(data[: len(data) * 3 // 4])
        refused(tmp_path / "noise.pdf", "file.damaged")
        refused(tmp_path / "renamed.pdf", "file.damaged")
        assert "web page" in refused(tmp_path / "login.pdf", "file.unknown_type").message
        try:
            source = open_source(tmp_path / "cut.pdf")
        except SourceError as error:
            assert error.code in ("file.damaged", "file.no_pages")  # nothing could be saved
        else:
            assert [i.code for i in source.issues] == ["file.repaired"]

    def test_repaired_file_is_read_and_noted(self, tmp_path: Path) -> None:
        data = make_pdf(tmp_path / "ok.pdf").read_bytes()
        start = data.rindex(b"startxref")
        (tmp_path / "bad.pdf").write_bytes(data[:start] + b"startxref\n99999999\n%%EOF\n")
        source = open_source(tmp_path / "bad.pdf")
        assert source.page_count == 2
        assert [i.code for i in source.issues] == ["file.repaired"]
        assert (read(source).image < 50).any()

    def test_no_pages(self, tmp_path: Path) -> None:
        body = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        (tmp_path / "none.pdf").write_bytes(body + b"trailer<</Root 1 0 R/Size 3>>\n%%EOF")
        refused(tmp_path / "none.pdf", "file.no_pages")

    @pytest.mark.parametrize("damage", ["null", "[1 2]"])
    def test_one_bad_page_does_not_spoil_the_others(self, tmp_path: Path, damage: str) -> None:
        path = make_pdf(tmp_path / "a.pdf", 3)
        with pymupdf.open(path) as document:
            document.update_object(document[1].xref, damage)
            document.save(tmp_path / "b.pdf")
        source = open_source(tmp_path / "b.pdf")
        assert source.page_count == 3
        with pytest.raises(PageError, match="Page 2"):
            read(source, 2)
        assert (read(source, 1).image < 50).any()
        assert (read(source, 3).image < 50).any()

    def test_broken_drawing_instructions_are_an_issue(self, tmp_path: Path) -> None:
        path = make_pdf(tmp_path / "a.pdf", 1)
        with pymupdf.open(path) as document:
            document.update_stream(document[0].get_contents()[0], b"q 1 0 0 1 0 0 cm (((( \xff nonsense")
            document.save(tmp_path / "b.pdf")
        raw = read(open_source(tmp_path / "b.pdf"))
        assert [(i.code, i.page) for i in raw.issues] == [("page.render_incomplete", 1)]

    def test_limits(self, tmp_path: Path) -> None:
        path = make_pdf(tmp_path / "a.pdf", 3)
        refused(path, "file.too_many_pages", settings=Settings(max_pages=2))
        refused(path, "file.too_large", settings=Settings(max_source_bytes=100))

    def test_mupdf_writes_nothing_to_the_terminal(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.test_damage(tmp_path)
        assert capfd.readouterr() == ("", "")


class TestRefused:
    def test_missing_empty_unknown(self, tmp_path: Path) -> None:
        refused(tmp_path / "nothing.pdf", "file.not_found")
        (tmp_path / "empty.pdf").touch()
        refused(tmp_path / "empty.pdf", "file.empty")
        (tmp_path / "letter.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
        assert "Office" in refused(tmp_path / "letter.doc", "file.unknown_type").message
        (tmp_path / "phone.heic").write_bytes(b"\0\0\0\x18ftypheic" + bytes(600))
        assert "HEIC" in refused(tmp_path / "phone.heic", "file.unknown_type").message
        (tmp_path / "notes.txt").write_text("a few notes")
        refused(tmp_path / "notes.txt", "file.unknown_type")
        (tmp_path / "folder").mkdir()
        refused(tmp_path / "folder", "file.no_pages")

    def test_control_characters_in_a_name_do_not_reach_the_terminal(self, tmp_path: Path) -> None:
        path = tmp_path / "a\x1b[31m\nb.pdf"
        path.touch()
        message = refused(path, "file.empty").message
        assert "\x1b" not in message
        assert "\n" not in message

    def test_kind_is_told_by_content_not_by_name(self, tmp_path: Path) -> None:
        (tmp_path / "really-a-picture.pdf").write_bytes(encoded(picture()))
        assert open_source(tmp_path / "really-a-picture.pdf").kind == "images"
        make_pdf(tmp_path / "really-a-pdf.jpg")
        assert open_source(tmp_path / "really-a-pdf.jpg").page_count == 2


def colours(source: Source) -> list[list[int]]:
    return [read(source, n).image[10, 10].tolist() for n in range(1, source.page_count + 1)]


RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


class TestFolder:
    def test_images_are_one_paper_in_natural_order(self, tmp_path: Path) -> None:
        folder = tmp_path / "试卷"
        folder.mkdir()
        for name, colour in (("页10.png", BLUE), ("页2.PNG", GREEN), ("页1.webp", RED)):
            kind = "WEBP" if name.endswith("webp") else "PNG"
            (folder / name).write_bytes(encoded(picture(colour), kind, lossless=True))
        for junk in (".DS_Store", "Thumbs.db", "._页1.png"):
            (folder / junk).write_bytes(b"junk")
        (folder / "notes.docx").write_bytes(b"PK words")
        (folder / "rest.pdf").write_bytes(b"%PDF-")
        source = open_source(folder)
        assert (source.kind, source.name, source.page_count) == ("images", "试卷", 3)
        assert colours(source) == [list(RED), list(GREEN), list(BLUE)]
        assert [(i.code, i.severity, i.message.split(" in ")[0]) for i in source.issues] == [
            ("file.entry_skipped", "warning", "notes.docx"),
            ("file.entry_skipped", "error", "rest.pdf"),  # may hold pages of the paper
        ]

    def test_id_depends_on_bytes_and_order_alone(self, tmp_path: Path) -> None:
        ids = []
        for name, first, second in (("a", "1.png", "2.png"), ("b", "x1.png", "x2.png"), ("c", "2.png", "1.png")):
            folder = tmp_path / name
            folder.mkdir()
            (folder / first).write_bytes(encoded(picture(RED)))
            (folder / second).write_bytes(encoded(picture(GREEN)))
            ids.append(open_source(folder).paper_id)
        assert ids[0] == ids[1] != ids[2]

    def test_empty_page_file_is_an_error_of_the_paper(self, tmp_path: Path) -> None:
        (tmp_path / "1.png").write_bytes(encoded(picture(RED)))
        (tmp_path / "2.png").touch()
        source = open_source(tmp_path)
        assert source.page_count == 1
        assert [(i.code, i.severity) for i in source.issues] == [("file.empty", "error")]

    def test_size_limit_counts_all_pages(self, tmp_path: Path) -> None:
        for number in (1, 2, 3):
            (tmp_path / f"{number}.png").write_bytes(encoded(picture()))
        size = (tmp_path / "1.png").stat().st_size
        refused(tmp_path, "file.too_large", settings=Settings(max_source_bytes=2 * size))


class TestZip:
    def test_images_are_read_in_place(self, tmp_path: Path) -> None:
        entries = [
            ("scan/p10.png", encoded(picture(BLUE))),
            ("scan/p9.png", encoded(picture(RED))),
            ("__MACOSX/scan/._p9.png", b"junk"),
            ("scan/readme.txt", b"hello"),
        ]
        path = make_zip(tmp_path / "a.zip", entries)
        source = open_source(path)
        assert colours(source) == [list(RED), list(BLUE)]
        assert [i.message.split(" in ")[0] for i in source.issues] == ["scan/readme.txt"]
        assert [p.name for p in tmp_path.iterdir()] == ["a.zip"]

    def test_multi_page_tiff_inside(self, tmp_path: Path) -> None:
        data = encoded(picture(RED), "TIFF", save_all=True, append_images=[picture(GREEN)])
        source = open_source(make_zip(tmp_path / "a.zip", [("fax.tif", data), ("z.png", encoded(picture(BLUE)))]))
        assert colours(source) == [list(RED), list(GREEN), list(BLUE)]

    def test_names_in_gbk(self, tmp_path: Path) -> None:
        entries = [("第2页.png", encoded(picture(BLUE))), ("第1页.png", encoded(picture(RED)))]
        source = open_source(self.gbk_zip(tmp_path / "b.zip", entries))
        assert colours(source) == [list(RED), list(BLUE)]
        assert source.page(1).name == "第1页.png"

    @staticmethod
    def gbk_zip(path: Path, entries: list[tuple[str, bytes]]) -> Path:
        """Stored entries with GBK names and without the UTF-8 flag, as a Chinese Windows writes them."""
        body, directory = b"", b""
        for name, data in entries:
            raw = name.encode("gbk")
            common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data), len(raw), 0)
            directory += b"PK\x01\x02" + struct.pack("<H", 20) + common
            directory += struct.pack("<HHHII", 0, 0, 0, 0, len(body)) + raw
            body += b"PK\x03\x04" + common + raw + data
        count = len(entries)
        end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
        path.write_bytes(body + directory + b"PK\x05\x06" + end)
        return path

    @pytest.mark.parametrize(
        "name", ["../evil.png", "a/../../evil.png", "/etc/evil.png", "C:\\evil.png", "..\\evil.png"]
    )
    def test_entries_that_point_outside_are_refused(self, tmp_path: Path, name: str) -> None:
        refused(make_zip(tmp_path / "a.zip", [(name, encoded(picture()))]), "file.unsafe_archive")

    def test_bombs_are_refused(self, tmp_path: Path) -> None:
        bomb = make_zip(tmp_path / "ratio.zip", [("1.png", bytes(40_000_000))])
        refused(bomb, "file.unsafe_archive")
        many = make_zip(tmp_path / "many.zip", [(f"{n}.png", bytes(400_000)) for n in range(10)])
        refused(many, "file.unsafe_archive", settings=Settings(max_source_bytes=1_000_000))
        count = make_zip(tmp_path / "count.zip", [(f"{n}.png", b"x") for n in range(50)])
        refused(count, "file.unsafe_archive", settings=Settings(max_pages=10))

    def test_size_in_the_directory_is_not_believed(self, tmp_path: Path) -> None:
        path = make_zip(tmp_path / "a.zip", [("1.png", bytes(3_000_000))])
        data = bytearray(path.read_bytes())
        for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            at = data.index(mark) + offset
            data[at : at + 4] = struct.pack("<I", 1000)
        path.write_bytes(bytes(data))
        source = open_source(path)
        with pytest.raises(PageError):
            read(source, settings=Settings(max_image_bytes=1_000_000))

    def test_damage(self, tmp_path: Path) -> None:
        entries = [("1.png", encoded(picture(RED))), ("2.png", encoded(picture(GREEN)))]
        path = make_zip(tmp_path / "a.zip", entries, zipfile.ZIP_STORED)
        data = bytearray(path.read_bytes())
        (tmp_path / "cut.zip").write_bytes(bytes(data[: len(data) // 2]))
        refused(tmp_path / "cut.zip", "file.damaged")
        at = data.index(b"IDAT") + 6
        data[at : at + 20] = bytes(20)
        (tmp_path / "bit.zip").write_bytes(bytes(data))
        source = open_source(tmp_path / "bit.zip")
        with pytest.raises(PageError, match=r"1\.png"):
            read(source, 1)
        assert read(source, 2).image[10, 10].tolist() == list(GREEN)

    def test_without_images(self, tmp_path: Path) -> None:
        refused(make_zip(tmp_path / "a.zip", [("a.txt", b"x")]), "file.no_pages")
        refused(make_zip(tmp_path / "b.zip", []), "file.no_pages")
        word = make_zip(tmp_path / "c.docx", [("[Content_Types].xml", b"<x/>"), ("word/media/1.png", b"x")])
        assert "office" in refused(word, "file.unknown_type").message


class TestStoredPages:
    def test_round_trip_and_channels(self, tmp_path: Path) -> None:
        for colour, mode in ((RED, "RGB"), ((7, 7, 7), "L")):
            pixels = np.array(picture(colour))
            write_page(pixels, tmp_path / "001.png")
            assert np.array_equal(read_page_image(tmp_path / "001.png"), pixels)
            with Image.open(tmp_path / "001.png") as stored:
                assert stored.mode == mode
        assert [p.name for p in tmp_path.iterdir()] == ["001.png"]  # no temporary file is left

    def test_absent_and_damaged(self, tmp_path: Path) -> None:
        (tmp_path / "bad.png").write_bytes(b"\x89PNG")
        for name in ("none.png", "bad.png"):
            with pytest.raises(PageError):
                read_page_image(tmp_path / name)
