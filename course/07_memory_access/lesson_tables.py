"""The tables of this chapter's lesson: counts, results and machine code in, one table out, headers in both languages.

The companions of `lesson_figures`. What was not measured or not profiled shows a dash; columns in which
everything is missing are left out. Measures and counts nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lesson_figures import NAMES, gb_per_s, source, timed

from goodput.cuda import machine_code
from goodput.emulator import Counts
from goodput.language import Text, pick
from goodput.machine import Ceilings
from goodput.recorded import Result
from goodput.show import CALCULATED, COMPILED, COUNTED, Table, origin, table

_EMULATED = {
    "load_sectors_per_request": (
        "sectors_per_load",
        {"es": "sectores por lectura", "en": "sectors per load"},
    ),
    "store_sectors_per_request": (
        "sectors_per_store",
        {"es": "sectores por escritura", "en": "sectors per store"},
    ),
    "shared_load_wavefronts_per_request": (
        "wavefronts_per_shared_load",
        {"es": "wavefronts por lectura compartida", "en": "wavefronts per shared load"},
    ),
}
_KERNEL: Text = {"es": "kernel", "en": "kernel"}


def _shown(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Text], note: str, **options: Any
) -> Table:
    kept = {key: head for key, head in columns.items() if any(row[key] is not None for row in rows)}
    return table(rows, columns=kept, note=note, **options)


def counted(counts: Mapping[str, Counts], counters: Result) -> Table:
    """Per request, what the emulator counted beside what Nsight Compute read from the hardware."""
    found = counters.value["kernels"]
    columns: dict[str, Text] = {"kernel": _KERNEL}
    for ours, (theirs, head) in _EMULATED.items():
        emulated: Text = {"es": f"{head['es']}: emulador", "en": f"{head['en']}: emulator"}
        columns |= {ours: emulated, theirs: "Nsight Compute"}
    columns |= {
        "read": {"es": "GB leídos de DRAM", "en": "GB read from DRAM"},
        "busy": {"es": "DRAM, % de su máximo", "en": "DRAM, % of its peak"},
    }
    rows = []
    for name, c in counts.items():
        seen = found.get(name, {})
        row = {"kernel": pick(NAMES[name]), "busy": seen.get("dram_pct_of_peak")}
        row["read"] = seen["dram_read_bytes"] / 1e9 if "dram_read_bytes" in seen else None
        for ours, (theirs, _) in _EMULATED.items():
            row |= {ours: getattr(c, ours), theirs: seen.get(theirs)}
        rows.append(row)
    return _shown(rows, columns, origin(COUNTED, source(*_hardware(counters, counts))))


def _hardware(counters: Result, names: Iterable[str]) -> list[Result]:
    """The counters, if the hardware counted any of these."""
    return [counters] if any(name in counters.value["kernels"] for name in names) else []


def strides(
    curve: Result, counts: Mapping[int, Counts], travel: Mapping[int, float], counters: Result
) -> Table:
    found = counters.value["kernels"]
    rows = [
        {
            "stride": stride,
            "sectors": c.load_sectors_per_request,
            "hardware": found.get(f"stride_{stride}", {}).get("sectors_per_load"),
            "travel": travel[stride],
            "share": 800 / travel[stride],
            "measured": gb_per_s(curve, str(stride)) if str(stride) in curve.value["ms"] else None,
        }
        for stride, c in counts.items()
    ]
    columns: dict[str, Text] = {
        "stride": {"es": "paso", "en": "stride"},
        "sectors": {"es": "sectores por lectura: emulador", "en": "sectors per load: emulator"},
        "hardware": "Nsight Compute",
        "travel": {"es": "bytes que viajan por resultado", "en": "bytes that travel per result"},
        "share": {"es": "útil, %", "en": "useful, %"},
        "measured": {"es": "GB/s útiles, medidos", "en": "useful GB/s, measured"},
    }
    profiled = _hardware(counters, (f"stride_{stride}" for stride in counts))
    return _shown(rows, columns, origin(COUNTED, source(curve, *profiled)))


def width(counts: Mapping[str, Counts], code: Mapping[str, str], threads: int) -> Table:
    """`threads`: that a multiprocessor holds, each with one load in flight."""
    rows = [
        {
            "kernel": pick(NAMES[name]),
            "loads": c.widest_load_bytes,
            "stores": c.widest_store_bytes,
            "in_flight": threads * c.widest_load_bytes / 1024,
            "wide": machine_code.count(code[name], r"(?:LDG|STG)\.E\S*\.128"),
        }
        for name, c in counts.items()
    ]
    columns: dict[str, Text] = {
        "kernel": _KERNEL,
        "loads": {"es": "bytes por lectura de un hilo", "en": "bytes per load of a thread"},
        "stores": {"es": "bytes por escritura", "en": "bytes per store"},
        "in_flight": {
            "es": "KiB de lecturas en vuelo por multiprocesador, como mucho",
            "en": "KiB of loads in flight per multiprocessor, at most",
        },
        "wide": {"es": "instrucciones de 16 bytes", "en": "16-byte instructions"},
    }
    return _shown(rows, columns, origin(COUNTED, COMPILED, CALCULATED))


def banks(result: Result, counts: Mapping[str, Counts], counters: Result) -> Table:
    ms, found = result.value["ms"], counters.value["kernels"]
    rows = [
        {
            "place": pick(NAMES[name]),
            "waves": c.shared_load_wavefronts_per_request,
            "hardware": found.get(name, {}).get("wavefronts_per_shared_load"),
            "ms": ms.get(name),
            "slower": ms[name] / ms["pad_1"] if name in ms else None,
        }
        for name, c in counts.items()
    ]
    columns: dict[str, Text] = {
        "place": {"es": "fila del tile", "en": "row of the tile"},
        "waves": {"es": "wavefronts por lectura: emulador", "en": "wavefronts per load: emulator"},
        "hardware": "Nsight Compute",
        "ms": "ms",
        "slower": {"es": "tiempo / relleno 1", "en": "time / padding 1"},
    }
    return _shown(rows, columns, origin(COUNTED, source(result, *_hardware(counters, counts))))


def instructions(code: Mapping[str, str], patterns: Mapping[str, str]) -> Table:
    """How often each pattern occurs in the machine code of each kernel; `patterns`: header -> regular expression."""
    rows = [
        {"kernel": pick(NAMES[name])} | {head: machine_code.count(text, p) for head, p in patterns.items()}
        for name, text in code.items()
    ]
    caption: Text = {"es": "Instrucciones en el código máquina", "en": "Instructions in the machine code"}
    return _shown(
        rows, {"kernel": _KERNEL, **{head: head for head in patterns}}, origin(COMPILED), caption=caption
    )


def norms(result: Result, ceilings: Ceilings) -> Table:
    ms = result.value["ms"]
    turns = result.value["rows"] / result.value["multiprocessors"]  # rows that each multiprocessor handles
    fastest = min(ms.values())
    rows = [
        {
            "kernel": pick(NAMES[name]),
            "row_us": ms[name] * 1e3 / turns,
            "over": (ms[name] - fastest) * 1e3 / turns,
            "share": gb_per_s(result, name) / ceilings["copy_gb_per_s"] * 100,
        }
        for name in timed(result)
    ]
    columns: dict[str, Text] = {
        "kernel": _KERNEL,
        "row_us": {"es": "µs por fila y multiprocesador", "en": "µs per row and multiprocessor"},
        "over": {"es": "µs más que la mejor", "en": "µs more than the best"},
        "share": {"es": "% de la copia", "en": "% of the copy"},
    }
    return _shown(rows, columns, source(result))


def before_and_after(pairs: Sequence[tuple[str, Result, str, str]], ceilings: Ceilings) -> Table:
    rows = [
        {
            "exercise": exercise,
            "before": result.value["ms"][before],
            "after": result.value["ms"][after],
            "faster": result.value["ms"][before] / result.value["ms"][after],
            "share": gb_per_s(result, after) / ceilings["copy_gb_per_s"] * 100,
        }
        for exercise, result, before, after in pairs
    ]
    columns: dict[str, Text] = {
        "exercise": {"es": "ejercicio", "en": "exercise"},
        "before": {"es": "antes, ms", "en": "before, ms"},
        "after": {"es": "después, ms", "en": "after, ms"},
        "faster": {"es": "aceleración", "en": "speedup"},
        "share": {"es": "después, % de la copia", "en": "after, % of the copy"},
    }
    return _shown(rows, columns, source(*(result for _, result, *_ in pairs)))
