"""Bars and lines: the two charts that most measurements need.

Takes numbers with labels (a text, or both languages), returns a `Chart`. One series of bars is horizontal, so
that names stay readable; lines are named at their ends instead of in a legend. Knows nothing of what was
measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from goodput.language import Language, Text, pick
from goodput.roofline.layout import number, spread_apart
from goodput.show.style import BLUE, INK, ORANGE, SERIES, SOFT, Chart, chart, style

BAR_IN = 0.42  # height of one bar with its share of white


def bars(
    values: Mapping[str, float] | Sequence[tuple[Text, float]],
    *,
    unit: Text,
    title: Text,
    subtitle: Text = "",
    ceiling: tuple[Text, float] | None = None,
    beside: Sequence[Text] = (),
    highlight: Sequence[int] = (),
    note: Text = "",
    lang: Language | None = None,
) -> Chart:
    """Horizontal bars with their numbers, in the order given.

    values: name -> value, or (text in both languages, value) pairs. ceiling: a line that nothing should pass,
    with its name. beside: one text per bar, in a column to the right (counts that explain it). highlight:
    indices drawn in orange. note: where the numbers come from, under the chart.
    """
    pairs = list(values.items()) if isinstance(values, Mapping) else list(values)
    if not pairs or (beside and len(beside) != len(pairs)):
        raise ValueError(
            f"bars needs values, and one text beside each: got {len(pairs)} values, {len(beside)} texts"
        )
    with style():
        figure, (axes,) = chart(
            title, subtitle, note, plot_height_in=BAR_IN * len(pairs) + (0.75 if ceiling else 0.5), lang=lang
        )
        names = [pick(name, lang) for name, _ in pairs]
        heights = [value for _, value in pairs]
        colours = [ORANGE if i in highlight else BLUE for i in range(len(pairs))]
        axes.barh(range(len(pairs)), heights, height=0.66, color=colours)
        axes.set_yticks(range(len(pairs)), names)
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        most = max([*heights, ceiling[1] if ceiling else 0])
        axes.set_xlim(0, most * 1.06)
        axes.set_xlabel(pick(unit, lang))
        axes.grid(True, axis="x")
        axes.spines["left"].set_visible(False)
        if ceiling:
            axes.axvline(ceiling[1], color=INK, lw=1.4, ls=(0, (5, 3)))
            axes.annotate(
                f"{pick(ceiling[0], lang)} {number(ceiling[1])}", (ceiling[1], 1), xycoords=("data", "axes fraction"),
                xytext=(0, 3), textcoords="offset points", ha="center", va="bottom", size=9.5, color=SOFT,
            )  # fmt: skip
        for i, value in enumerate(heights):
            inside = value > 0.2 * most  # long bars carry their number, left of the ceiling's line
            end = min(value, ceiling[1]) if ceiling and inside else value
            axes.annotate(
                number(value), (end, i), xytext=(-6 if inside else 5, 0), textcoords="offset points", va="center",
                ha="right" if inside else "left", color="white" if inside else INK, weight="bold" if inside else "normal",
            )  # fmt: skip
            if beside:
                axes.annotate(pick(beside[i], lang), (1, i), xycoords=("axes fraction", "data"), xytext=(8, 0),
                              textcoords="offset points", va="center", color=INK, annotation_clip=False)  # fmt: skip
    return figure


def lines(
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    | Sequence[tuple[Text, Sequence[float], Sequence[float]]],
    *,
    x_label: Text,
    y_label: Text,
    title: Text,
    subtitle: Text = "",
    ceiling: tuple[Text, float] | None = None,
    log_x: bool = False,
    log_y: bool = False,
    note: Text = "",
    lang: Language | None = None,
) -> Chart:
    """Curves with their points, each named at its right end. series: name -> (xs, ys), or (text, xs, ys)
    triples."""
    named = [(n, xy[0], xy[1]) for n, xy in series.items()] if isinstance(series, Mapping) else list(series)
    if not named or any(len(xs) != len(ys) or not len(xs) for _, xs, ys in named):
        raise ValueError("lines needs at least one curve, with as many y as x")
    if len(named) > len(SERIES):
        raise ValueError(f"{len(named)} curves cannot be told apart; draw at most {len(SERIES)}")
    with style():
        figure, (axes,) = chart(title, subtitle, note, plot_height_in=3.7, lang=lang)
        for (_, xs, ys), colour, marker in zip(named, SERIES, "osD^vP", strict=False):
            axes.plot(xs, ys, marker=marker, color=colour, lw=2, ms=6, mec="white", mew=1)
        _scales(axes, named, log_x, log_y)
        axes.set_xlabel(pick(x_label, lang))
        axes.set_ylabel(pick(y_label, lang))
        axes.grid(True)
        if ceiling:
            axes.axhline(ceiling[1], color=INK, lw=1.4, ls=(0, (5, 3)))
            axes.annotate(
                f"{pick(ceiling[0], lang)} {number(ceiling[1])}", (0, ceiling[1]), xycoords=("axes fraction", "data"),
                xytext=(6, 4), textcoords="offset points", va="bottom", size=9.5, color=SOFT,
            )  # fmt: skip
            if not log_y:
                axes.set_ylim(0, max(axes.get_ylim()[1], ceiling[1] * 1.12))
        if len(named) > 1:
            _names_at_the_ends(axes, named, lang)
    return figure


def _scales(axes, named, log_x: bool, log_y: bool) -> None:
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    xs = sorted({x for _, values, _ in named for x in values})
    if log_x:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(plain)
        axes.xaxis.set_minor_locator(NullLocator())
        if len(xs) <= 12:
            axes.set_xticks(xs)
    if log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5), numticks=12))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(plain)
    else:
        axes.set_ylim(0, max(y for _, _, ys in named for y in ys) * 1.08)


def _names_at_the_ends(axes, named, lang: Language | None) -> None:
    right = axes.get_xlim()[1]
    ends = sorted(
        ((axes.transData.transform((1, ys[-1]))[1], pick(name, lang), colour, ys[-1])
         for (name, _, ys), colour in zip(named, SERIES, strict=False)),
        key=lambda end: end[0],
    )  # fmt: skip
    placed = spread_apart([height for height, *_ in ends], 20)  # pixels: one line of text at 100 dpi
    for (height, name, colour, y), at in zip(ends, placed, strict=True):
        axes.annotate(name, (right, y), xytext=(6, (at - height) * 0.72), textcoords="offset points", va="center",
                      size=10, color=colour, weight="bold", annotation_clip=False)  # fmt: skip
