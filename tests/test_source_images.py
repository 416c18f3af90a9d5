"""Page images from every mode that scanners and phones write, and those that must not be decoded."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from test_sources import encoded, make_zip, picture, read

from ingest.sources import open_source
from wholepage.errors import PageError
from wholepage.settings import Settings

BLACK, WHITE = [0, 0, 0], [255, 255, 255]


def corners(tmp_path: Path, image: Image.Image, kind: str = "PNG", **options: object) -> tuple[list[int], list[int]]:
    """A pixel of the block and one of the paper, as the page has them."""
    path = tmp_path / "page.bin"
    path.write_bytes(encoded(image, kind, **options))
    out = read(open_source(path)).image
    assert out.dtype == np.uint8
    assert out.shape == (80, 60, 3)
    return out[20, 15].tolist(), out[60, 45].tolist()


def test_formats_give_the_same_pixels(tmp_path: Path) -> None:
    expected = np.asarray(picture())
    for kind, suffix, options in (("PNG", "png", {}), ("TIFF", "tif", {}), ("WEBP", "webp", {"lossless": True})):
        (tmp_path / f"a.{suffix}").write_bytes(encoded(picture(), kind, **options))
        raw = read(open_source(tmp_path / f"a.{suffix}"))
        assert np.array_equal(raw.image, expected), kind
    (tmp_path / "a.jpg").write_bytes(encoded(picture(), "JPEG", quality=95))
    assert np.abs(read(open_source(tmp_path / "a.jpg")).image[5:30, 5:20].astype(int) - (10, 120, 240)).max() < 6


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied(tmp_path: Path, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    undo = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_90"}
    undo |= {7: "TRANSVERSE", 8: "ROTATE_270"}
    upright = picture((0, 0, 0))
    stored = upright.transpose(Image.Transpose[undo[orientation]]) if orientation > 1 else upright
    block, paper = corners(tmp_path, stored, "JPEG", exif=exif, quality=95)
    assert max(block) < 20
    assert min(paper) > 235


def test_modes_become_rgb_on_white(tmp_path: Path) -> None:
    dark = picture((0, 0, 0))
    grey = np.asarray(dark.convert("L")).astype(np.uint16)
    assert corners(tmp_path, Image.fromarray(grey * 257)) == (BLACK, WHITE)
    assert corners(tmp_path, Image.fromarray(grey * 257), "TIFF") == (BLACK, WHITE)
    assert corners(tmp_path, dark.convert("CMYK"), "TIFF") == (BLACK, WHITE)
    assert corners(tmp_path, dark.convert("1"), "TIFF", compression="group4") == (BLACK, WHITE)
    assert corners(tmp_path, dark.quantize(4)) == (BLACK, WHITE)
    block, paper = corners(tmp_path, Image.fromarray(grey * 16), "TIFF")  # 12 bit in 16
    assert block == BLACK
    assert min(paper) > 250
    clear = Image.new("RGBA", (60, 80), (0, 0, 0, 0))  # ink on glass
    clear.paste((0, 0, 0, 255), (0, 0, 30, 40))
    assert corners(tmp_path, clear) == (BLACK, WHITE)
    assert corners(tmp_path, clear.convert("LA")) == (BLACK, WHITE)
    holed = Image.new("P", (60, 80), 0)  # palette: colour 0 is black and transparent, colour 1 black and opaque
    holed.putpalette([0] * 768)
    holed.paste(1, (0, 0, 30, 40))
    assert corners(tmp_path, holed, transparency=0) == (BLACK, WHITE)


def test_multi_page_tiff(tmp_path: Path) -> None:
    frames = [picture(c) for c in ((255, 0, 0), (0, 255, 0), (0, 0, 255))]
    frames[0].save(tmp_path / "fax.tiff", save_all=True, append_images=frames[1:])
    source = open_source(tmp_path / "fax.tiff")
    assert source.page_count == 3
    seen = [read(source, n).image[10, 10].tolist() for n in (1, 2, 3)]
    assert seen == [[255, 0, 0], [0, 255, 0], [0, 0, 255]]


@pytest.mark.parametrize(
    ("size", "stated", "expected"),
    [
        ((1654, 2339), 200, 200),
        ((1654, 2339), None, 200),  # taken for A4 upright
        ((2339, 1654), None, 200),  # A4 lying
        ((1654, 2339), 72, 200),  # would be 32 inches high
        ((3308, 4678), 400, 400),
        ((1654, 2339), 1, 200),
    ],
)
def test_resolution(tmp_path: Path, size: tuple[int, int], stated: int | None, expected: float) -> None:
    options = {"dpi": (stated, stated)} if stated else {}
    (tmp_path / "a.png").write_bytes(encoded(Image.new("L", size, 255), **options))
    assert read(open_source(tmp_path / "a.png")).dpi == pytest.approx(expected, abs=0.2)


@pytest.mark.parametrize(("model", "camera"), [("Mi 13", True), ("CanoScan LiDE 300", False), (None, False)])
def test_camera_is_told_from_scanner(tmp_path: Path, model: str | None, camera: bool) -> None:
    exif = Image.Exif()
    if model:
        exif[0x0110] = model
    (tmp_path / "a.jpg").write_bytes(encoded(picture(), "JPEG", exif=exif))
    assert read(open_source(tmp_path / "a.jpg")).camera is camera


def test_truncated_image_is_a_page_error_that_names_the_file(tmp_path: Path) -> None:
    data = encoded(Image.effect_noise((200, 200), 80), "PNG")
    (tmp_path / "cut.png").write_bytes(data[: len(data) // 2])
    source = open_source(tmp_path / "cut.png")
    with pytest.raises(PageError, match=r"Page 1 \(cut\.png\)"):
        read(source)


def test_bomb_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(bytes(60_001) * 50, 9))
    data = b"\x89PNG\r\n\x1a\n" + head + rows + chunk(b"IEND", b"")
    (tmp_path / "bomb.png").write_bytes(data)
    for path in (tmp_path / "bomb.png", make_zip(tmp_path / "bomb.zip", [("1.png", data)])):
        with pytest.raises(PageError) as caught:
            read(open_source(path))
        assert caught.value.code == "page.too_large"


def test_large_jpeg_is_reduced_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "big.jpg").write_bytes(encoded(picture((0, 0, 0), (3000, 4000)), "JPEG"))
    raw = read(open_source(tmp_path / "big.jpg"), settings=Settings(max_page_pixels=1_000_000))
    height, width = raw.image.shape[:2]
    assert 400_000 < height * width <= 1_000_000
    assert height / width == pytest.approx(4 / 3, abs=0.01)
    assert raw.dpi == pytest.approx(width / 8.27, rel=0.01)
    assert [i.code for i in raw.issues] == ["page.downscaled"]
