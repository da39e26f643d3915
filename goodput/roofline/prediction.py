"""What a call must cost at least: the bytes that must move and its FLOP against the measured ceilings.

`predict` is asked before anything is timed, `position` afterwards; both use the same roof. Returns a
`Prediction` that a notebook shows as a sentence. Knows nothing of the code that will run.
"""

from __future__ import annotations

from dataclasses import dataclass

from goodput.language import Language, pick
from goodput.machine.ceiling import Ceilings
from goodput.roofline.layout import TEXTS, number
from goodput.roofline.position import position

_SENTENCE = {
    "es": "**Predicción.** Deben moverse **{gigabytes} GB** y hacen falta **{gflop} GFLOP**. Con los techos medidos en "
    "{name} no puede tardar menos de **{ms} ms**: el límite es {bound}.",
    "en": "**Prediction.** **{gigabytes} GB** must move and **{gflop} GFLOP** are needed. Under the ceilings measured on "
    "{name} it cannot take less than **{ms} ms**: {bound} is the limit.",
}
_MEMORY = {"es": "la memoria ({traffic}: {rate} GB/s)", "en": "memory ({traffic}: {rate} GB/s)"}
_COMPUTE = {"es": "el cómputo ({rate})", "en": "compute ({rate})"}


@dataclass(frozen=True)
class Prediction:
    """`seconds` is the shortest possible time; `bound` names what sets it, with its rate, in both languages."""

    bytes_moved: float
    flop: float
    seconds: float
    machine: str
    bound: dict[str, str]
    note: str = ""

    @property
    def ms(self) -> float:
        return self.seconds * 1e3

    def sentence(self, lang: Language | None = None) -> str:
        return pick(_SENTENCE, lang).format(
            gigabytes=number(self.bytes_moved / 1e9), gflop=number(self.flop / 1e9),
            name=self.machine, ms=number(self.ms), bound=pick(self.bound, lang),
        )  # fmt: skip

    def _repr_markdown_(self) -> str:
        return "\n\n".join([self.sentence(), *([f"*{self.note}*"] if self.note else [])])

    def __repr__(self) -> str:
        return " ".join([self.sentence().replace("**", ""), self.note]).strip()


def predict(
    bytes_moved: float,
    flop: float,
    ceilings: Ceilings,
    *,
    precision: str = "fp32",
    traffic: str = "copy",
    note: str = "",
) -> Prediction:
    """max(bytes / bandwidth, FLOP / rate); the arguments are those of `position`. note: where the ceilings come from."""
    # the roof's share of a call that takes one second is the number of seconds that the roof needs
    at_one_second = position(bytes_moved, flop, 1.0, ceilings, precision=precision, traffic=traffic)
    value, unit = at_one_second.ceiling_value, at_one_second.ceiling.split("_", 1)[1]
    if at_one_second.bound == "memory":
        name = TEXTS.get(traffic, traffic)
        bound = {
            lang: pick(_MEMORY, lang).format(traffic=pick(name, lang), rate=number(value))
            for lang in ("es", "en")
        }
    else:
        rate = f"{number(value)} {'TFLOP/s' if unit.startswith('t') else 'GFLOP/s'}"
        bound = {lang: pick(_COMPUTE, lang).format(rate=rate) for lang in ("es", "en")}
    return Prediction(bytes_moved, flop, at_one_second.fraction, ceilings.name, bound, note)
