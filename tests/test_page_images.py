"""Page images of every mode and size that scanners and phones write."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from ingest_papers import save_image
from PIL import Image

from ingest.images import estimate_dpi, load_image
from ingest.render import PageReader
from ingest.sources import Source, open_source
from wholepage.errors import PageError
from wholepage.settings import Settings

SETTINGS = Settings()


def read(source: Source, number: int = 1):
    reader = PageReader(SETTINGS)
    with reader.read(source.page(number), number) as raw:
        return raw


@pytest.mark.parametrize(
    ("mode", "value", "want"),
    [
        ("1", 1, (255, 255, 255)),
        ("L", 90, (90, 90, 90)),
        ("P", 0, None),
        ("LA", (0, 0), (255, 255, 255)),
        ("RGBA", (255, 0, 0, 0), (255, 255, 255)),
        ("RGBA", (255, 0, 0, 255), (255, 0, 0)),
        ("I;16", 65535, (255, 255, 255)),
        ("I;16", 257 * 40, (40, 40, 40)),
        ("CMYK", (0, 255, 255, 0), (255, 0, 0)),
    ],
)
def test_every_mode_becomes_rgb_on_white(
    tmp_path: Path, mode: str, value: object, want: tuple[int, ...] | None
) -> None:
    image = Image.new(mode, (30, 40), value)
    path = tmp_path / ("x.tif" if mode == "CMYK" else "x.png")
    image.save(path)
    loaded = load_image(path, 0, 10**6, "x")
    assert loaded.pixels.shape == (40, 30, 3)
    assert loaded.pixels.dtype == np.uint8
    if want:
        assert tuple(int(v) for v in loaded.pixels[5, 5]) == want


def test_palette_with_transparency_is_white(tmp_path: Path) -> None:
    image = Image.new("P", (10, 10), 3)
    image.putpalette([0, 0, 0] * 256)
    image.save(tmp_path / "p.png", transparency=3)
    assert (load_image(tmp_path / "p.png", 0, 10**6, "p").pixels == 255).all()


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "tif"])
@pytest.mark.parametrize(("orientation", "corner"), [(3, (-1, -1)), (6, (0, -1)), (8, (-1, 0))])
def test_exif_orientation_is_applied(tmp_path: Path, suffix: str, orientation: int, corner: tuple[int, int]) -> None:
    image = Image.new("RGB", (64, 32), "white")
    image.paste((0, 0, 0), (0, 0, 16, 16))  # a black mark top left as stored
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / f"x.{suffix}"
    image.save(path, exif=exif, **({"lossless": True} if suffix == "webp" else {}))
    pixels = load_image(path, 0, 10**6, "x").pixels
    assert pixels.shape[:2] == ((64, 32) if orientation != 3 else (32, 64))
    assert pixels[corner].mean() < 60


def test_exif_of_a_camera(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Phone Maker", "Phone 12"
    Image.new("RGB", (40, 40)).save(tmp_path / "c.jpg", exif=exif)
    exif[0x010F], exif[0x0110] = "EPSON", "Perfection V39 Scanner"
    Image.new("RGB", (40, 40)).save(tmp_path / "s.jpg", exif=exif)
    assert load_image(tmp_path / "c.jpg", 0, 10**6, "c").camera
    assert not load_image(tmp_path / "s.jpg", 0, 10**6, "s").camera


def test_multi_page_tiff(tmp_path: Path) -> None:
    frames = [Image.new("L", (50, 70), v) for v in (10, 120, 250)]
    frames[0].save(tmp_path / "m.tiff", save_all=True, append_images=frames[1:])
    source = open_source(tmp_path / "m.tiff")
    assert source.page_count == 3
    assert [int(read(source, n).image.mean()) for n in (1, 2, 3)] == [10, 120, 250]


@pytest.mark.parametrize(
    ("size", "stated", "want"),
    [
        ((1654, 2339), 200, 200),
        ((1654, 2339), 72, 200),  # a camera's or program's default
        ((3309, 2339), 200, 200),
        ((2480, 3508), None, 300),
        ((640, 640), 4000, 77),
    ],
)
def test_dpi_from_metadata_if_plausible_else_from_a4(
    tmp_path: Path, size: tuple[int, int], stated: int | None, want: float
) -> None:
    Image.new("L", size, 255).save(tmp_path / "x.png", **({"dpi": (stated, stated)} if stated else {}))
    assert load_image(tmp_path / "x.png", 0, 10**8, "x").dpi == pytest.approx(want, rel=0.01)


def test_estimate_is_never_absurd() -> None:
    assert estimate_dpi(10, 2000) >= 40


def test_image_beyond_the_limit_is_reduced_and_keeps_its_dpi_true(tmp_path: Path) -> None:
    Image.new("L", (2000, 2600), 200).save(tmp_path / "x.png", dpi=(240, 240))
    loaded = load_image(tmp_path / "x.png", 0, 4_000_000, "x")
    height, width = loaded.pixels.shape[:2]
    assert width * height <= 4_000_000
    assert loaded.dpi == pytest.approx(240 * width / 2000, rel=0.01)
    assert loaded.shrunk < 1


def test_jpeg_far_beyond_the_limit_is_decoded_small(tmp_path: Path) -> None:
    Image.new("L", (6000, 6000), 200).save(tmp_path / "x.jpg")
    pixels = load_image(tmp_path / "x.jpg", 0, 1_000_000, "x").pixels
    assert 200_000 <= pixels.shape[0] * pixels.shape[1] <= 1_000_000


def test_image_bomb_is_refused(tmp_path: Path) -> None:
    Image.new("1", (20000, 20000)).save(tmp_path / "bomb.png")
    assert (tmp_path / "bomb.png").stat().st_size < 100_000
    with pytest.raises(PageError) as caught:
        load_image(tmp_path / "bomb.png", 0, 60_000_000, "bomb.png")
    assert caught.value.code == "page.too_large"
    assert Image.MAX_IMAGE_PIXELS is not None  # Pillow's own limit is back in place


def test_truncated_image_is_a_page_error(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (200, 200, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, "PNG")
    (tmp_path / "t.png").write_bytes(buffer.getvalue()[:5000])
    source = open_source(tmp_path / "t.png")
    with pytest.raises(PageError, match=r"t\.png"):
        read(source)


def test_photo_keeps_its_pixels(tmp_path: Path) -> None:
    save_image(tmp_path / "small.jpg", 128, (640, 480))
    assert read(open_source(tmp_path / "small.jpg")).image.shape == (480, 640, 3)
