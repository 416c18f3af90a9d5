"""Units with dimensions: school spellings (SI symbols, Chinese and English words) resolved through pint, exactly.

Only names of the table below ever reach pint; the text of a response does not.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from scoring.rules.tree import Unreadable
from wholepage.errors import MissingExtraError

_TABLE = """
meter: m 米 metre meter metres meters
kilometer: km 千米 公里 kilometer kilometers kilometre kilometres
decimeter: dm 分米
centimeter: cm 厘米 centimeter centimeters centimetre centimetres
millimeter: mm 毫米 millimeter millimeters millimetre millimetres
micrometer: μm um 微米
nanometer: nm 纳米
picometer: pm
angstrom: Å
second: s 秒 秒钟 sec second seconds
millisecond: ms 毫秒
microsecond: μs us 微秒
nanosecond: ns
minute: min 分钟 minute minutes mins
hour: h 小时 时 hr hour hours
day: d 天 day days 日
year: 年 year years
gram: g 克 gram grams
kilogram: kg 千克 公斤 kilogram kilograms
milligram: mg 毫克
microgram: μg 微克
tonne: t 吨 tonne tonnes
liter: L l 升 litre liter litres liters
milliliter: mL ml 毫升 milliliter millilitre milliliters millilitres
mole: mol 摩尔 摩 mole moles
millimole: mmol
kilomole: kmol
newton: N 牛 牛顿 newton newtons
kilonewton: kN 千牛
joule: J 焦 焦耳 joule joules
kilojoule: kJ 千焦 kilojoule kilojoules
megajoule: MJ
calorie: cal 卡
kilocalorie: kcal 千卡
electron_volt: eV 电子伏 电子伏特
kiloelectron_volt: keV
megaelectron_volt: MeV 兆电子伏
gigaelectron_volt: GeV
watt: W 瓦 瓦特 watt watts
kilowatt: kW 千瓦 kilowatt kilowatts
megawatt: MW
milliwatt: mW
kilowatt_hour: kWh
volt: V 伏 伏特 volt volts
millivolt: mV 毫伏
kilovolt: kV 千伏
ampere: A 安 安培 amp amps ampere amperes
milliampere: mA 毫安
microampere: μA 微安
ohm: Ω 欧 欧姆 ohm ohms Ohm
kiloohm: kΩ 千欧
megaohm: MΩ 兆欧
pascal: Pa 帕 帕斯卡 pascal pascals
kilopascal: kPa 千帕
megapascal: MPa 兆帕
hectopascal: hPa 百帕
atmosphere: atm
millimeter_Hg: mmHg
centimeter_Hg: cmHg
kelvin: K 开 开尔文 kelvin kelvins
hertz: Hz 赫 赫兹 hertz
kilohertz: kHz
megahertz: MHz
coulomb: C 库 库仑 coulomb coulombs
microcoulomb: μC
farad: F 法 法拉 farad farads
microfarad: μF
picofarad: pF
tesla: T 特 特斯拉 tesla teslas
millitesla: mT
weber: Wb 韦 韦伯 weber webers
henry: H 亨 亨利
millihenry: mH
radian: rad 弧度 radian radians
degree: 度 degree degrees deg
hectare: 公顷
decibel_: dB 分贝
unified_atomic_mass_unit: u
"""
_LINES = [line.partition(":") for line in _TABLE.strip().splitlines()]
_NAMES = {spelling: name for name, _, spellings in _LINES for spelling in spellings.split()}
_CELSIUS = ("°C", "摄氏度")
_ORDERED = sorted([*_NAMES, *_CELSIUS, "平方", "立方", "°"], key=len, reverse=True)
_UNIT = re.compile("|".join(re.escape(s) for s in _ORDERED))
_EXPONENT = re.compile(r"\^\s*\{?\s*\(?\s*([+-]?\d)\s*\)?\s*\}?|(\d)(?!\d)")
_FRACTION = re.compile(r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
MAX_UNIT_TEXT = 60


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as factor to SI base units and exponents of its dimensions.

    `kind` keeps apart what dimensions alone would confuse: celsius (an offset scale), degree, decibel.
    """

    factor: Fraction
    dimensions: tuple[tuple[str, Fraction], ...]
    kind: str = ""
    text: str = ""

    def converts_to(self, other: Unit) -> bool:
        """Whether values in the two units can be compared by their factors."""
        return self.kind == other.kind and self.dimensions == other.dimensions


_lock = threading.Lock()
_registry: Any = None


def _pint() -> Any:
    global _registry  # noqa: PLW0603 - one registry a process; building it takes a third of a second
    with _lock:
        if _registry is None:
            try:
                import pint
            except ImportError as error:
                raise MissingExtraError.for_extra("score", "pint") from error
            _registry = pint.UnitRegistry(non_int_type=Fraction)
        return _registry


_BASE_DIMENSIONS = {"meter": "[length]", "second": "[time]", "kilogram": "[mass]"}


@lru_cache(maxsize=256)
def _base(name: str) -> tuple[Fraction, tuple[tuple[str, Fraction], ...]]:
    """Factor and dimensions of one unit of the table."""
    if name == "decibel_":
        return Fraction(1), (("decibel", Fraction(1)),)
    if name == "tonne":
        name = "metric_ton"
    registry = _pint()
    with _lock:
        quantity = registry.Quantity(Fraction(1), registry.parse_units(name)).to_base_units()
        dimensions = {str(k): Fraction(v) for k, v in dict(quantity.dimensionality).items()}
    return Fraction(quantity.magnitude), tuple(sorted(dimensions.items()))


@lru_cache(maxsize=2048)
def parse_unit(text: str) -> Unit | None:
    """The unit that `text` (in `tidy` spelling) spells in full, or None."""
    compact = text.strip().strip(".。")
    if not compact or len(compact) > MAX_UNIT_TEXT:
        return None
    compact = _FRACTION.sub(r"(\1)/(\2)", compact)
    compact = re.sub(r"\s*([·*×/^()])\s*", r"\1", compact).replace("每", "/")
    compact = re.sub(r"(?<!\^)\{([^{}]*)\}", r"\1", compact)
    try:
        factor, dims, kind = _Reader(compact).whole()
    except Unreadable:
        return None
    return Unit(factor, tuple(sorted((k, v) for k, v in dims.items() if v)), kind, compact)


_Parts = tuple[Fraction, dict[str, Fraction], str]


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def whole(self) -> _Parts:
        parts = self.product()
        if self.at < len(self.text):
            raise Unreadable("not a unit")
        return parts

    def product(self) -> _Parts:
        factor, dims, kind = self.factor()
        while self.at < len(self.text) and self.text[self.at] != ")":
            sign = 1
            if self.text[self.at] in "·*×/ ":
                sign = -1 if self.text[self.at] == "/" else 1
                self.at += 1
            more, other, other_kind = self.factor()
            factor *= more**sign
            for name, power in other.items():
                dims[name] = dims.get(name, Fraction(0)) + sign * power
            kind = kind or other_kind
            if kind:
                kind = "" if kind == "celsius" else "compound " + kind.removeprefix("compound ")
        return factor, dims, kind

    def factor(self) -> _Parts:
        if self.text[self.at : self.at + 1] == "(":
            self.at += 1
            self.depth += 1
            if self.depth > 4:
                raise Unreadable("not a unit")
            parts = self.product()
            self.depth -= 1
            if self.text[self.at : self.at + 1] != ")":
                raise Unreadable("not a unit")
            self.at += 1
            return self.raised(parts)
        found = _UNIT.match(self.text, self.at)
        if found is None:
            raise Unreadable("not a unit")
        self.at = found.end()
        spelled = found.group()
        if spelled in ("平方", "立方"):
            factor, dims, kind = self.factor()
            power = 2 if spelled == "平方" else 3
            return factor**power, {k: v * power for k, v in dims.items()}, kind
        after = self.text[self.at : self.at + 1]
        if spelled.isascii() and spelled[-1].isalpha() and after.isascii() and after.isalpha():
            raise Unreadable("not a unit")  # kmx: letters run on
        if spelled in _CELSIUS:
            return self.raised((Fraction(1), {"[temperature]": Fraction(1)}, "celsius"))
        if spelled in ("°", "度", "degree", "degrees", "deg"):
            return self.raised((Fraction(1), {"angle": Fraction(1)}, "degree"))
        if _NAMES[spelled] == "radian":
            return self.raised((Fraction(1), {}, "radian"))
        factor, pairs = _base(_NAMES[spelled])
        return self.raised((factor, dict(pairs), ""))

    def raised(self, parts: _Parts) -> _Parts:
        found = _EXPONENT.match(self.text, self.at)
        if found is None:
            return parts
        self.at = found.end()
        power = int(found.group(1) or found.group(2))
        factor, dims, kind = parts
        return factor**power, {k: v * power for k, v in dims.items()}, kind


def split_quantity(text: str) -> list[tuple[str, Unit]]:
    """Ways to cut `text` into a number's text and a unit, leftmost cut first; empty when none ends in a unit."""
    cuts: list[tuple[str, Unit]] = []
    depth = index = 0
    while index < len(text) and len(cuts) < 3:
        char = text[index]
        if char == "\\":
            command = re.match(r"\\[A-Za-z]+", text[index:])
            if command and command.group() == "\\frac" and index and depth == 0:
                _try_cut(text, index, cuts)
            index += len(command.group()) if command else 2
            continue
        if char in "{([":
            depth += 1
        elif char in "})]":
            depth -= 1
        elif depth == 0 and index and (char.isalpha() or char in "°") and char not in "π":
            before = text[index - 1]
            if not (before.isascii() and before.isalpha()):
                _try_cut(text, index, cuts)
        index += 1
    return cuts


def _try_cut(text: str, index: int, cuts: list[tuple[str, Unit]]) -> None:
    unit = parse_unit(text[index:])
    if unit is not None:
        cuts.append((text[:index].rstrip(" ·*×"), unit))
