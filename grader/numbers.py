"""Number -> text, in Spanish or English.

Spanish writes 1,79 and 1 048 576, English 1.79 and 1,048,576; both group from five digits on and write very small and very
large numbers as a power of ten. Takes a number and how to write it; knows nothing of sentences.
"""

from __future__ import annotations

import math
from typing import Literal

Lang = Literal["es", "en"]
LANGS: tuple[Lang, Lang] = ("es", "en")

NARROW_SPACE = (
    "\u202f"  # does not break over two lines; what Spanish typography puts between groups and before %
)
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, lang: Lang) -> str:
    """Three significant digits, which is what a measurement or an error supports; integers are written in full."""
    if isinstance(value, int):
        return _localised(f"{value:,}" if abs(value) >= 10_000 else str(value), lang)
    if not math.isfinite(value):
        return _not_finite(value)
    if value != 0 and not 1e-3 <= abs(value) < 1e6:
        return _power_of_ten(value, 1, lang)
    decimals = 0 if value == 0 else max(0, 2 - math.floor(math.log10(abs(value))))
    text = fixed(value, decimals, lang)
    separator = "," if lang == "es" else "."
    return text.rstrip("0").rstrip(separator) if decimals else text


def exact(value: float, lang: Lang) -> str:
    """Up to nine significant digits, so that two float32 values that differ are written differently."""
    if isinstance(value, int) or not math.isfinite(value):
        return number(value, lang)
    if value != 0 and not 1e-4 <= abs(value) < 1e9:
        return _power_of_ten(value, 8, lang)
    return _localised(f"{value:.9g}", lang)


def fixed(value: float, decimals: int, lang: Lang) -> str:
    """Always `decimals` digits after the separator, for numbers that are compared with each other."""
    if not math.isfinite(value):
        return _not_finite(value)
    return _localised(f"{value:,.{decimals}f}" if abs(value) >= 10_000 else f"{value:.{decimals}f}", lang)


def percent(share: float, lang: Lang) -> str:
    """0.823 -> 82 % in Spanish, 82% in English."""
    return f"{fixed(100 * share, 0, lang)}{NARROW_SPACE if lang == 'es' else ''}%"


def _power_of_ten(value: float, digits: int, lang: Lang) -> str:
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{_localised(mantissa, lang)} × 10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def _localised(text: str, lang: Lang) -> str:
    if lang == "en":
        return text
    return text.replace(",", NARROW_SPACE).replace(".", ",")


def _not_finite(value: float) -> str:
    return "NaN" if math.isnan(value) else ("inf" if value > 0 else "-inf")
