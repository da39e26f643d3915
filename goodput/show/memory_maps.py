"""A warp's addresses drawn on memory: 32-byte sectors of global memory, 32 banks of shared memory.

    sector_map({"stride 1": strided(1), "stride 8": strided(8)})
    bank_map({f"pad {p}": column_words(pad=p) for p in (0, 1, 2)})

Takes addresses (see `patterns.py`, which also counts), returns a `Chart`. Sectors between those touched are
left out and marked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle

from goodput.language import Language, Text, language, pick
from goodput.show.patterns import (
    BANKS,
    LANES,
    SECTOR_BYTES,
    WORD_BYTES,
    count_sectors,
    count_wavefronts,
    words_by_bank,
)  # fmt: skip
from goodput.show.style import BLUE, GRID, INK, ORANGE, PALE, SOFT, WIDTH_IN, Chart, chart, style

_LANE_COLOURS = LinearSegmentedColormap.from_list("lanes", ["#bfe0f5", "#56b4e9", "#0072b2", "#003f63"])
_PER_ROW = 4  # sectors side by side: a 128-byte line where addresses are contiguous
_WORDS = SECTOR_BYTES // WORD_BYTES
_GAP = 0.9  # between sectors, in words
_LEFT = 3.4  # room for the address of a row, in words

_SECTOR_TITLE = {"es": "Lo que piden los 32 lanes de un warp", "en": "What the 32 lanes of a warp ask for"}
_SECTOR_SUBTITLE = {
    "es": "Cada caja es un sector de 32 bytes. En azul, los bytes que pide el lane de ese número; "
    "rayado, lo que viaja sin que nadie lo pida.",
    "en": "Each box is a sector of 32 bytes. In blue, the bytes that the lane of that number asks for; "
    "hatched, what travels unasked.",
}
_SKIPPED = {"es": "⋯ memoria que el warp se salta.", "en": "⋯ memory that the warp skips."}
_SECTOR_LINE = {
    "es": "{label}: {sectors} sectores, {moved} bytes movidos para usar {used} ({share:.3g} %)",
    "en": "{label}: {sectors} sectors, {moved} bytes moved to use {used} ({share:.3g} %)",
}
_ONE_SECTOR_LINE = {
    "es": "{label}: 1 sector, {moved} bytes movidos para usar {used} ({share:.3g} %)",
    "en": "{label}: 1 sector, {moved} bytes moved to use {used} ({share:.3g} %)",
}
_BANK_TITLE = {"es": "En qué banco vive cada palabra", "en": "Which bank each word lives in"}
_BANK_SUBTITLE = {
    "es": "Columnas: los 32 bancos. Filas: la memoria compartida, 128 bytes cada una. "
    "Marcadas, las 32 palabras que lee el warp; naranja, las que comparten banco y esperan turno.",
    "en": "Columns: the 32 banks. Rows: shared memory, 128 bytes each. "
    "Marked, the 32 words that the warp reads; orange, those that share a bank and wait their turn.",
}
_BANK_LINE = {
    "es": ("{label}: 1 wavefront, sin conflictos", "{label}: {waves} wavefronts"),
    "en": ("{label}: 1 wavefront, no conflicts", "{label}: {waves} wavefronts"),
}
_BANK, _BYTE = {"es": "banco", "en": "bank"}, {"es": "byte", "en": "byte"}


def sector_map(
    requests: Mapping[str, Sequence[int]],
    *,
    bytes_each: int = 4,
    title: Text = _SECTOR_TITLE,
    note: Text = "",
    lang: Language | None = None,
) -> Chart:
    """One panel per request: label -> byte address of each lane; every lane reads `bytes_each` bytes."""
    if not requests:
        raise ValueError("sector_map needs at least one request")
    counts = {label: count_sectors(addresses, bytes_each) for label, addresses in requests.items()}
    rows = {label: -(-len(count.sectors) // _PER_ROW) for label, count in counts.items()}
    words_wide = _LEFT + _PER_ROW * (_WORDS + _GAP)
    row_in = WIDTH_IN / words_wide * 1.45
    heights = tuple(row_in * n for n in rows.values())
    skips = any(count.sectors[-1] - count.sectors[0] >= len(count.sectors) for count in counts.values())
    subtitle = f"{pick(_SECTOR_SUBTITLE, lang)} {pick(_SKIPPED, lang) if skips else ''}"
    with style():
        figure, panels = chart(
            title, subtitle, note, plot_height_in=sum(heights) + 0.4 * len(rows), lang=lang,
            rows=len(rows), heights=heights,
        )  # fmt: skip
        for axes, (label, addresses) in zip(panels, requests.items(), strict=True):
            count = counts[label]
            sentence = _ONE_SECTOR_LINE if len(count.sectors) == 1 else _SECTOR_LINE
            facts = {"sectors": len(count.sectors), "moved": count.bytes_moved, "used": count.bytes_used}
            axes.set_title(
                pick(sentence, lang).format(label=label, share=100 * count.efficiency, **facts),
                loc="left",
                size=10.5,
            )
            axes.set_xlim(0, words_wide)
            axes.set_ylim(rows[label] * 1.45 - 0.15, -0.15)
            axes.axis("off")
            _sectors(axes, count.sectors, addresses, bytes_each, pick(_BYTE, lang))
    return figure


def _sectors(
    axes: Axes, sectors: Sequence[int], addresses: Sequence[int], bytes_each: int, byte: str
) -> None:
    corner = {}
    for i, sector in enumerate(sectors):
        x, y = _LEFT + (i % _PER_ROW) * (_WORDS + _GAP), (i // _PER_ROW) * 1.45
        corner[sector] = (x, y)
        axes.add_patch(Rectangle((x, y), _WORDS, 1, fc=PALE, ec="#aeb6c4", lw=0.5, hatch="////"))
        if i % _PER_ROW == 0:
            axes.text(
                _LEFT - 0.6,
                y + 0.5,
                f"{byte} {sector * SECTOR_BYTES}",
                ha="right",
                va="center",
                size=8,
                color=SOFT,
            )
        elif sector > sectors[i - 1] + 1:
            axes.text(x - _GAP / 2, y + 0.5, "⋯", ha="center", va="center", size=8, color=SOFT)
    lanes: dict[int, list[int]] = defaultdict(list)
    for lane, address in enumerate(addresses):
        lanes[address].append(lane)
    for address, who in lanes.items():
        x, y = corner[address // SECTOR_BYTES]
        width = bytes_each / WORD_BYTES
        at = x + address % SECTOR_BYTES / WORD_BYTES
        colour = _LANE_COLOURS(who[0] / (LANES - 1))
        axes.add_patch(Rectangle((at, y), width, 1, fc=colour, ec="white", lw=0.7 if width >= 1 else 0.3))
        if width >= 1:
            text = str(who[0]) if len(who) == 1 else f"{who[0]}–{who[-1]}"
            size = 7.5 if len(text) <= 2 * width else 4.5
            axes.text(at + width / 2, y + 0.5, text, ha="center", va="center", size=size, color=_on(who[0]))
    for x, y in corner.values():
        axes.add_patch(Rectangle((x, y), _WORDS, 1, fill=False, ec=INK, lw=0.9))


def _on(lane: int) -> str:
    return INK if lane < LANES * 0.42 else "white"


def bank_map(
    requests: Mapping[str, Sequence[int]],
    *,
    title: Text = _BANK_TITLE,
    note: Text = "",
    lang: Language | None = None,
) -> Chart:
    """One panel per request, two side by side: label -> index of the 4-byte word that each lane reads."""
    if not requests:
        raise ValueError("bank_map needs at least one request")
    columns = 1 if len(requests) == 1 else 2
    rows = -(-len(requests) // columns)
    deepest = max(max(words) // BANKS + 1 for words in requests.values())
    width_in = (
        WIDTH_IN if columns == 2 else 0.75 * WIDTH_IN
    )  # one square panel at full width would not fit on a screen
    cell_in = (width_in - 0.5 * columns) / columns / (BANKS + 2)
    with style():
        figure, panels = chart(
            title, _BANK_SUBTITLE, note, plot_height_in=rows * (cell_in * (deepest + 1) + 0.6), lang=lang,
            rows=rows, columns=columns, width_in=width_in,
        )  # fmt: skip
        for axes in panels[len(requests) :]:
            axes.axis("off")
        for axes, (label, words) in zip(panels, requests.items(), strict=False):
            waves = count_wavefronts(words)
            free, queued = _BANK_LINE[lang or language()]
            text = (free if waves == 1 else queued).format(label=label, waves=waves)
            axes.set_title(text, loc="left", size=10.5, color=INK)
            _banks(axes, words, deepest, numbers=columns == 1, bank=pick(_BANK, lang))
    return figure


def _banks(axes: Axes, words: Sequence[int], depth: int, *, numbers: bool, bank: str) -> None:
    axes.set_xlim(-0.5, BANKS - 0.5)
    axes.set_ylim(depth - 0.5, -0.5)
    axes.set_aspect("equal")
    axes.set_xticks(range(0, BANKS, 4))
    axes.set_yticks(range(0, depth, 8))
    axes.tick_params(length=0, labelsize=8, pad=2)
    axes.set_xlabel(bank, size=8.5, labelpad=1)
    for side in axes.spines.values():
        side.set_visible(False)
    edges_x = [column - 0.5 for column in range(BANKS + 1)]
    edges_y = [row - 0.5 for row in range(depth + 1)]
    axes.vlines(edges_x, edges_y[0], edges_y[-1], color=GRID, lw=0.6, zorder=0)
    axes.hlines(edges_y, edges_x[0], edges_x[-1], color=GRID, lw=0.6, zorder=0)
    crowd = {b: len(found) for b, found in words_by_bank(words).items()}
    lanes: dict[int, list[int]] = defaultdict(list)
    for lane, word in enumerate(words):
        lanes[word].append(lane)
    for word, who in lanes.items():
        row, column = divmod(word, BANKS)
        waits = crowd[column] > 1
        axes.add_patch(
            Rectangle((column - 0.46, row - 0.46), 0.92, 0.92, fc=ORANGE if waits else BLUE, ec="none")
        )
        if numbers:
            axes.text(column, row, str(who[0]), ha="center", va="center", size=5.5, color="white")
