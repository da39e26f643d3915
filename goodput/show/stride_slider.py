"""A slider that moves the stride of a warp over memory drawn to scale, as one piece of HTML without a server.

`stride_slider()` takes strides, returns an object that a notebook shows. One small SVG per stride is drawn here
and the slider only picks which one is seen, so the page works in JupyterLab and as a saved HTML file. What
`memory_maps.sector_map` leaves out - the memory between the sectors - is what this picture is for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goodput.language import Language, pick
from goodput.show.patterns import LANES, SECTOR_BYTES, WORD_BYTES, count_sectors, strided

STRIDES = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32)
_PER_ROW = 16  # sectors side by side: 512 bytes
_WORDS = SECTOR_BYTES // WORD_BYTES
_CELL, _GAP, _HIGH = 5.4, 5, 17  # pixels: width of a word, space between sectors, height of a row

_TEXTS = {
    "stride": {"es": "paso", "en": "stride"},
    "line": {
        "es": "{sectors} sectores: {moved} bytes viajan para usar {used} ({share:.3g} %)",
        "en": "{sectors} sectors: {moved} bytes travel to use {used} ({share:.3g} %)",
    },
    "about": {
        "es": "4 KiB de memoria a escala: cada caja es un sector de 32 bytes; naranja claro, los sectores que viajan; "
        "azul, las palabras que piden los 32 lanes.",
        "en": "4 KiB of memory to scale: each box is a sector of 32 bytes; light orange, the sectors that travel; "
        "blue, the words that the 32 lanes ask for.",
    },
}


@dataclass(frozen=True)
class StrideSlider:
    html: str
    described: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.described


def stride_slider(
    strides: Sequence[int] = STRIDES, *, start: int = 2, note: str = "", lang: Language | None = None
) -> StrideSlider:
    """One frame per stride of 4-byte words, the first shown is `start`."""
    if start not in strides:
        raise ValueError(f"the slider cannot start at {start}: it has {', '.join(map(str, strides))}")
    about = pick(_TEXTS["about"], lang)
    name = "gp" + hashlib.sha256(repr((strides, start, about)).encode()).hexdigest()[:8]
    frames = []
    for stride in strides:
        shown = "block" if stride == start else "none"
        frames.append(
            f'<div style="display:{shown}">{_caption(stride, lang)}{_memory(stride, max(strides))}</div>'
        )
    pick_frame = f"[...document.getElementById('{name}').children].forEach((f,i)=>f.style.display=i==this.value?'block':'none')"
    html = (
        f'<div style="font:14px system-ui,sans-serif;max-width:800px"><label>{pick(_TEXTS["stride"], lang)} '
        f'<input type="range" min="0" max="{len(strides) - 1}" value="{strides.index(start)}" step="1" '
        f'style="width:320px;vertical-align:middle" oninput="{pick_frame}"></label>'
        f'<div id="{name}">{"".join(frames)}</div>'
        f'<div style="font-size:85%;font-style:italic;opacity:.8">{about} {note}</div></div>'
    )
    return StrideSlider(html, f"{about} {note}".strip())


def _caption(stride: int, lang: Language | None) -> str:
    count = count_sectors(strided(stride))
    facts = {"sectors": len(count.sectors), "moved": count.bytes_moved, "used": count.bytes_used}
    line = pick(_TEXTS["line"], lang).format(share=100 * count.efficiency, **facts)
    return f'<div style="margin:4px 0"><b>{pick(_TEXTS["stride"], lang)} {stride}</b> · {line}</div>'


def _memory(stride: int, longest: int) -> str:
    """Memory that the longest stride spans; a row holds 16 sectors."""
    sectors = LANES * longest * WORD_BYTES // SECTOR_BYTES
    width, height = _PER_ROW * (_WORDS * _CELL + _GAP), -(-sectors // _PER_ROW) * (_HIGH + 5)
    touched = count_sectors(strided(stride)).sectors

    def corner(sector: int) -> tuple[float, float]:
        return sector % _PER_ROW * (_WORDS * _CELL + _GAP) + 1, sector // _PER_ROW * (_HIGH + 5) + 1

    def boxes(corners: Iterable[tuple[float, float]], words: float, look: str) -> str:
        width = words * _CELL
        outline = "".join(f"M{x:.4g} {y}h{width:.3g}v{_HIGH}h-{width:.3g}z" for x, y in corners)
        return f'<path d="{outline}" {look}/>'

    def place(address: int) -> tuple[float, float]:
        x, y = corner(address // SECTOR_BYTES)
        return x + address % SECTOR_BYTES / WORD_BYTES * _CELL, y

    edge = 'stroke="#9aa3b2" stroke-width=".6"'
    drawn = [
        boxes(map(corner, range(sectors)), _WORDS, f'fill="none" {edge}'),
        boxes(map(corner, touched), _WORDS, f'fill="#f6d3bd" {edge}'),
        boxes(map(place, strided(stride)), 1, 'fill="#0072b2" stroke="#fff" stroke-width=".4"'),
    ]
    return f'<svg viewBox="0 0 {width:.0f} {height + 2}" style="width:100%;height:auto" role="img">{"".join(drawn)}</svg>'
