"""Where the numbers of a figure or table come from, as the sentence that stands under it.

    bars(..., note=origin(times, COUNTED))        # times: a Result of goodput.recorded

Takes texts in both languages and results, returns one line in the reader's language. A lesson shows no number
without one.
"""

from __future__ import annotations

from goodput.language import Language, Text, pick
from goodput.recorded import Result

COUNTED: Text = {
    "es": "Contado ahora por el emulador, que ejecuta el kernel en la CPU.",
    "en": "Counted just now by the emulator, which runs the kernel on the CPU.",
}
COMPILED: Text = {
    "es": "Leído ahora en el código máquina que produce el compilador (sm_90a).",
    "en": "Read just now in the machine code that the compiler makes (sm_90a).",
}
CALCULATED: Text = {
    "es": "Calculado ahora a partir de direcciones y tamaños.",
    "en": "Calculated just now from addresses and sizes.",
}


def origin(*sources: Text | Result, lang: Language | None = None) -> str:
    """One line that names every source once, in the order given."""
    said = [source.label_in(lang) if isinstance(source, Result) else pick(source, lang) for source in sources]
    return " ".join(filter(None, dict.fromkeys(said)))
