"""The Nsight Compute metrics that explain a memory access pattern: a short name, the tool's name, what it
means.

Names were seen in reports of Nsight Compute 2025.3 on compute capability 9.0; `ncu --query-metrics` lists
those of another GPU. `derive` adds the ratios that the lessons talk about. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from goodput.language import Language, pick


@dataclass(frozen=True)
class Metric:
    """`column` is the short name, with its unit, that tables use; `name` is Nsight Compute's."""

    column: str
    name: str
    es: str
    en: str


_L1 = "l1tex__t"
ACCESS_METRICS: tuple[Metric, ...] = (
    Metric("time_ns", "gpu__time_duration.sum",
           "duración del kernel en el reloj de la GPU", "duration of the kernel on the GPU's clock"),
    Metric("load_requests", f"{_L1}_requests_pipe_lsu_mem_global_op_ld.sum",
           "instrucciones de lectura global, una por warp", "global load instructions, one per warp"),
    Metric("load_sectors", f"{_L1}_sectors_pipe_lsu_mem_global_op_ld.sum",
           "sectores de 32 bytes que tocan esas lecturas", "32-byte sectors that those loads touch"),
    Metric("store_requests", f"{_L1}_requests_pipe_lsu_mem_global_op_st.sum",
           "instrucciones de escritura global, una por warp", "global store instructions, one per warp"),
    Metric("store_sectors", f"{_L1}_sectors_pipe_lsu_mem_global_op_st.sum",
           "sectores de 32 bytes que tocan esas escrituras", "32-byte sectors that those stores touch"),
    Metric("shared_load_requests", "smsp__sass_inst_executed_op_shared_ld.sum",
           "instrucciones de lectura de memoria compartida", "shared-memory load instructions"),
    Metric("shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
           "pasadas que necesitan esas lecturas; una por petición si no hay conflictos de bancos",
           "passes that those loads need; one per request without bank conflicts"),
    Metric("shared_load_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
           "pasadas de más por conflictos de bancos al leer", "extra passes for bank conflicts when loading"),
    Metric("shared_store_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
           "pasadas de más por conflictos de bancos al escribir", "extra passes for bank conflicts when storing"),
    Metric("dram_read_bytes", "dram__bytes_read.sum",
           "bytes que llegan de la memoria de la GPU", "bytes that come from the GPU's memory"),
    Metric("dram_write_bytes", "dram__bytes_write.sum",
           "bytes que van a la memoria de la GPU", "bytes that go to the GPU's memory"),
    Metric("dram_pct_of_peak", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
           "uso del ancho de banda de la memoria, en % del máximo teórico",
           "use of the memory's bandwidth, in % of its theoretical peak"),
    Metric("l2_hit_pct", "lts__t_sector_hit_rate.pct",
           "sectores que L2 tenía, en %", "sectors that L2 already held, in %"),
    Metric("occupancy_pct", "sm__warps_active.avg.pct_of_peak_sustained_active",
           "warps activos por SM, en % de los que caben (occupancy conseguida)",
           "active warps per SM, in % of those that fit (achieved occupancy)"),
    Metric("registers", "launch__registers_per_thread",
           "registros por hilo", "registers per thread"),
)  # fmt: skip

# Ratio -> numerator, denominator, meaning.
_RATIOS = {
    "sectors_per_load": ("load_sectors", "load_requests", {
        "es": "sectores por petición de lectura: 4 es lo ideal con 4 bytes por lane, 32 lo peor",
        "en": "sectors per load request: 4 is ideal with 4 bytes per lane, 32 the worst"}),
    "sectors_per_store": ("store_sectors", "store_requests", {
        "es": "sectores por petición de escritura: 4 es lo ideal con 4 bytes por lane, 32 lo peor",
        "en": "sectors per store request: 4 is ideal with 4 bytes per lane, 32 the worst"}),
    "wavefronts_per_shared_load": ("shared_load_wavefronts", "shared_load_requests", {
        "es": "pasadas por lectura compartida: 1 sin conflictos de bancos, 32 lo peor",
        "en": "passes per shared load: 1 without bank conflicts, 32 the worst"}),
}  # fmt: skip


def derive(row: Mapping[str, float]) -> dict[str, float]:
    """The ratios whose two counts are in `row`; one with an empty denominator is left out."""
    return {
        ratio: row[above] / row[below]
        for ratio, (above, below, _) in _RATIOS.items()
        if above in row and row.get(below)
    }


def meaning(column: str, lang: Language | None = None) -> str:
    """What a column of an `ncu` table means, in one sentence; KeyError for a column that is not ours."""
    for metric in ACCESS_METRICS:
        if metric.column == column:
            return pick({"es": metric.es, "en": metric.en}, lang)
    return pick(_RATIOS[column][2], lang)
