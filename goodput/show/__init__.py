"""Figures and tables of the lessons: the only importer of matplotlib.

Every text may be a string or both languages, `{"es": ..., "en": ...}`; `lang` is normally left to
`goodput.language`.
"""

from goodput.show.charts import bars, lines
from goodput.show.listing import Listing, listing
from goodput.show.memory_maps import bank_map, sector_map
from goodput.show.origin import CALCULATED, COMPILED, COUNTED, origin
from goodput.show.patterns import (
    SectorCount,
    column_words,
    count_sectors,
    count_wavefronts,
    strided,
)
from goodput.show.stride_slider import StrideSlider, stride_slider
from goodput.show.style import Chart
from goodput.show.tables import Table, table

__all__ = [
    "CALCULATED",
    "COMPILED",
    "COUNTED",
    "Chart",
    "Listing",
    "SectorCount",
    "StrideSlider",
    "Table",
    "bank_map",
    "bars",
    "column_words",
    "count_sectors",
    "count_wavefronts",
    "lines",
    "listing",
    "origin",
    "sector_map",
    "stride_slider",
    "strided",
    "table",
]
