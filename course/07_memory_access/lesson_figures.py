"""The charts of this chapter's lesson: results and counts in, one figure out, texts in both languages.

`Result`s come from `measure.py` through `goodput.recorded` (their `value` is described there), counts from
`goodput.emulator.count`. A variant that a result does not hold is left out. Every figure ends with the line that
says where its numbers come from. Measures and counts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goodput.emulator import Counts
from goodput.language import Text, pick
from goodput.machine import Ceilings
from goodput.recorded import Result
from goodput.roofline import plot, position
from goodput.show import (
    CALCULATED,
    COUNTED,
    Chart,
    bank_map,
    bars,
    column_words,
    lines,
    origin,
    sector_map,
    strided,
)

NAMES: dict[str, Text] = {
    "records": {"es": "un campo, estructuras", "en": "one field, records"},
    "planes": {"es": "un campo, planos", "en": "one field, planes"},
    "wide_planes": {"es": "un campo, planos y 16 bytes", "en": "one field, planes and 16 bytes"},
    "copy_4": {"es": "copia, 4 bytes por acceso", "en": "copy, 4 bytes per access"},
    "copy_16": {"es": "copia, 16 bytes por acceso", "en": "copy, 16 bytes per access"},
    "dequant_bytes": {"es": "descuantizar, 1 byte por hilo", "en": "dequantise, 1 byte per thread"},
    "dequant_quads": {"es": "descuantizar, 4 bytes por hilo", "en": "dequantise, 4 bytes per thread"},
    "transpose_naive": {"es": "transponer, directo", "en": "transpose, direct"},
    "transpose_torch": {"es": "transponer, torch", "en": "transpose, torch"},
    "transpose_tile": {"es": "transponer, tile", "en": "transpose, tile"},
    "transpose_padded": {"es": "transponer, tile con relleno", "en": "transpose, padded tile"},
    "transpose_swizzled": {"es": "transponer, tile con swizzle", "en": "transpose, swizzled tile"},
    "transpose_tma": {"es": "transponer, TMA con swizzle", "en": "transpose, TMA with swizzle"},
    "row_sum_tree": {"es": "sumar por memoria compartida", "en": "sum through shared memory"},
    "row_sum_warp": {"es": "sumar por registros", "en": "sum through registers"},
    "fir_plain": {"es": "punteros simples", "en": "plain pointers"},
    "fir_read_only": {"es": "ruta de solo lectura", "en": "read-only path"},
    "fir_constant": {"es": "memoria constante", "en": "constant memory"},
    "fir_window": {"es": "constante y ventana", "en": "constant and window"},
    "norm_waits": {"es": "RMSNorm, espera cada fila", "en": "RMSNorm, waits for each row"},
    "norm_ring": {"es": "RMSNorm, anillo cp.async", "en": "RMSNorm, cp.async ring"},
    "norm_bulk_ring": {"es": "RMSNorm, anillo de copias TMA", "en": "RMSNorm, ring of TMA copies"},
    "norm_full_occupancy": {"es": "RMSNorm, ocupación completa", "en": "RMSNorm, full occupancy"},
    "swizzle": {"es": "swizzle", "en": "swizzle"},
    **{f"pad_{n}": {"es": f"relleno {n}", "en": f"padding {n}"} for n in (0, 1, 2, 4, 8)},
}


def gb_per_s(result: Result, name: str) -> float:
    """The bytes that must move, over the time it took."""
    return result.value["bytes"] / result.value["ms"][name] / 1e6


def timed(result: Result) -> list[str]:
    """The variants that were measured, in the order of NAMES."""
    return [name for name in NAMES if name in result.value["ms"]]


def source(*results: Result) -> str:
    """Where times come from: GPU, date, versions, and how they were taken."""
    return origin(*results, *(result.value["method"] for result in results))


def _copy(ceilings: Ceilings) -> tuple[Text, float]:
    return {"es": "copia", "en": "copy"}, ceilings["copy_gb_per_s"]


def suspects(chosen: Sequence[tuple[Result, str]], ceilings: Ceilings) -> Chart:
    return bars(
        [(NAMES[name], gb_per_s(result, name)) for result, name in chosen],
        unit="GB/s",
        ceiling=_copy(ceilings),
        beside=[f"{result.value['ms'][name]:.2f} ms" for result, name in chosen],
        title={"es": "Cuatro kernels, casi el mismo tiempo", "en": "Four kernels, nearly the same time"},
        subtitle={
            "es": "Bytes que deben moverse, divididos entre el tiempo. ¿A cuál lo limita la memoria?",
            "en": "Bytes that must move, divided by the time. Which one does the memory limit?",
        },
        note=source(*(result for result, _ in chosen)),
    )


def sectors(strides: Sequence[int]) -> Chart:
    word = pick({"es": "paso", "en": "stride"})
    return sector_map({f"{word} {n}": strided(n) for n in strides}, note=origin(CALCULATED))


def strides(curve: Result, travel: Mapping[int, float], ceilings: Ceilings) -> Chart:
    """`travel`: stride -> bytes that travel per result of 8 useful ones."""
    measured = {int(stride): gb_per_s(curve, stride) for stride in curve.value["ms"]}
    return lines(
        [
            (
                {"es": "predicho", "en": "predicted"},
                list(travel),
                [8 / moved * ceilings["copy_gb_per_s"] for moved in travel.values()],
            ),
            ({"es": "medido", "en": "measured"}, sorted(measured), [measured[n] for n in sorted(measured)]),
        ],
        x_label={"es": "paso, en palabras de 4 bytes", "en": "stride, in words of 4 bytes"},
        y_label={"es": "GB/s útiles", "en": "useful GB/s"},
        log_x=True,
        ceiling=_copy(ceilings),
        title={
            "es": "El paso cuesta hasta 8 y después ya no",
            "en": "The stride costs up to 8, and no more after that",
        },
        subtitle={
            "es": "Útiles: los 8 bytes por resultado que deben moverse, entre el tiempo.",
            "en": "Useful: the 8 bytes per result that must move, over the time.",
        },
        note=origin(COUNTED, source(curve)),
    )


def layout_time(layout: Result, travel: Mapping[str, float]) -> Chart:
    return bars(
        [(NAMES[name], layout.value["ms"][name]) for name in timed(layout)],
        unit="ms",
        beside=[f"{travel[name]:.0f} B" for name in timed(layout)],
        title={
            "es": "El mismo cálculo sobre los mismos bytes",
            "en": "The same computation on the same bytes",
        },
        subtitle={
            "es": "Tiempo; a la derecha, los bytes que viajan por resultado.",
            "en": "Time; to the right, the bytes that travel per result.",
        },
        note=origin(COUNTED, source(layout)),
    )


def layout_traffic(layout: Result, travel: Mapping[str, float], ceilings: Ceilings) -> Chart:
    return bars(
        [(NAMES[name], travel[name] / 8 * gb_per_s(layout, name)) for name in timed(layout)],
        unit="GB/s",
        ceiling=_copy(ceilings),
        highlight=[0],
        title={"es": "Lo que de verdad viaja", "en": "What really travels"},
        subtitle={
            "es": "Bytes que viajan, divididos entre el mismo tiempo. En naranja, el kernel lento.",
            "en": "Bytes that travel, divided by the same time. In orange, the slow kernel.",
        },
        note=origin(COUNTED, source(layout)),
    )


def width(results: Sequence[Result], requests_per_kib: Mapping[str, float], ceilings: Ceilings) -> Chart:
    chosen = [(result, name) for result in results for name in timed(result)]
    return bars(
        [(NAMES[name], gb_per_s(result, name)) for result, name in chosen],
        unit="GB/s",
        ceiling=_copy(ceilings),
        beside=[f"{requests_per_kib[name]:.3g} / KiB" for _, name in chosen],
        highlight=[0, 2],
        title={"es": "Los mismos bytes, menos peticiones", "en": "The same bytes, fewer requests"},
        subtitle={
            "es": "Bytes que deben moverse, entre el tiempo; a la derecha, peticiones de memoria de un warp por KiB.",
            "en": "Bytes that must move, over the time; to the right, memory requests of a warp per KiB.",
        },
        note=origin(COUNTED, source(*results)),
    )


def turns(transpose: Result, counts: Mapping[str, Counts], ceilings: Ceilings) -> Chart:
    def seen(name: str) -> str:
        if name not in counts:
            return ""
        waves = counts[name].shared_load_wavefronts_per_request
        return f"{counts[name].store_sectors_per_request:.0f} · {'–' if waves is None else f'{waves:.0f}'}"

    names = timed(transpose)
    return bars(
        [(NAMES[name], gb_per_s(transpose, name)) for name in names],
        unit="GB/s",
        ceiling=_copy(ceilings),
        beside=[seen(name) for name in names],
        highlight=[names.index("transpose_tile")],
        title={"es": "Dos problemas, uno detrás de otro", "en": "Two problems, one behind the other"},
        subtitle={
            "es": "A la derecha: sectores por escritura · wavefronts por lectura de memoria compartida (ideal: 4 · 1).",
            "en": "To the right: sectors per store · wavefronts per load from shared memory (ideal: 4 · 1).",
        },
        note=origin(COUNTED, source(transpose)),
    )


def column(number: int) -> Chart:
    """Where the words of one column of a 32 x 32 tile lie."""
    tiles = {pick(NAMES[f"pad_{pad}"]): column_words(column=number, pad=pad) for pad in (0, 1, 2)}
    return bank_map(
        tiles | {"swizzle": column_words(column=number, xor=31)},
        title={"es": f"En qué banco cae la columna {number}", "en": f"Which bank column {number} falls into"},
        note=origin(CALCULATED),
    )


def banks(result: Result, counts: Mapping[str, Counts]) -> Chart:
    names = [name for name in counts if name in result.value["ms"]]
    waves = [counts[name].shared_load_wavefronts_per_request or 0 for name in names]
    faster = result.value["ms"]["pad_0"] / result.value["ms"]["pad_1"]
    return bars(
        [(NAMES[name], result.value["ms"][name]) for name in names],
        unit="ms",
        beside=[f"{n:.0f} wavefronts" if n > 1 else "1 wavefront" for n in waves],
        highlight=[names.index("pad_0")],
        title={
            "es": f"Una palabra de relleno por fila: {faster:.3g} veces más rápido",
            "en": f"One word of padding per row: {faster:.3g} times faster",
        },
        subtitle={
            "es": "El mismo número de lecturas; a la derecha, las pasadas que necesita cada una.",
            "en": "The same number of reads; to the right, the passes that each one needs.",
        },
        note=origin(COUNTED, source(result)),
    )


def sums(result: Result, shared_per_row: Mapping[str, float], ceilings: Ceilings) -> Chart:
    return bars(
        [(NAMES[name], gb_per_s(result, name)) for name in timed(result)],
        unit="GB/s",
        ceiling=_copy(ceilings),
        beside=[f"{shared_per_row[name]:.3g}" for name in timed(result)],
        highlight=[0],
        title={
            "es": "Cinco shuffles en lugar de nueve barreras",
            "en": "Five shuffles instead of nine barriers",
        },
        subtitle={
            "es": "A la derecha: accesos de un warp a la memoria compartida por cada fila.",
            "en": "To the right: accesses of a warp to shared memory for each row.",
        },
        note=origin(COUNTED, source(result)),
    )


def filters(result: Result, loads_per_result: Mapping[str, float]) -> Chart:
    ms = result.value["ms"]
    return bars(
        [(NAMES[name], loads) for name, loads in loads_per_result.items()],
        unit={"es": "lecturas por resultado", "en": "loads per result"},
        beside=[f"{ms[name]:.3g} ms" if name in ms else "" for name in loads_per_result],
        highlight=[0, 1],
        title={"es": "La mitad de las lecturas sobraba", "en": "Half of the loads were not needed"},
        subtitle={
            "es": "Lecturas que ejecuta un hilo por resultado; a la derecha el tiempo, donde está medido.",
            "en": "Loads that a thread executes per result; to the right the time, where it was measured.",
        },
        note=origin(COUNTED, source(result)),
    )


def norms(result: Result, rows_ahead: Mapping[str, int], ceilings: Ceilings) -> Chart:
    ahead: Text = {"es": "{} por delante", "en": "{} ahead"}
    return bars(
        [(NAMES[name], gb_per_s(result, name)) for name in timed(result)],
        unit="GB/s",
        ceiling=_copy(ceilings),
        beside=[pick(ahead).format(rows_ahead[name]) if name in rows_ahead else "" for name in timed(result)],
        highlight=[0],
        title={"es": "Pedir antes de necesitar", "en": "Ask before you need"},
        subtitle={
            "es": "Un bloque por multiprocesador, salvo la última. A la derecha: filas en vuelo mientras se espera una.",
            "en": "One block per multiprocessor, except the last. To the right: rows in flight while one is awaited.",
        },
        note=origin(COUNTED, source(result)),
    )


def under_the_roof(chosen: Sequence[tuple[Result, str]], ceilings: Ceilings) -> Chart:
    points = [
        position(
            result.value["bytes"],
            result.value["flop"],
            result.value["ms"][name] / 1e3,
            ceilings,
            label=pick(NAMES[name]),
        )
        for result, name in chosen
    ]
    return plot(points, ceilings, note=source(*(result for result, _ in chosen)))
