"""Write the numbers of README.md and README.es.md from files: `python -m tools.readme_numbers [--check]`, or `make numbers`.

What stands between `<!-- numbers:NAME -->` and `<!-- /numbers -->` is replaced by the table NAME in the page's language;
--check changes nothing and names what is stale. Exit code 0: up to date, or written; 1: stale.

    chapters   what exists, from the derived notebooks: lesson, exercises, points
    h200       results.exercises of course/07_memory_access/recorded/h200.json: the rows of `make bench`
    verdicts   results.verdicts of the same file, [{exercise, answer, threshold, passed, slow, too_close}]: how many verdicts
               of the baseline (which must never pass) and of the solution (which must never be slow) ended how

Each table of recorded numbers ends with the GPU, the date and the versions that its file names. Standard library only; knows
nothing of how things were measured (goodput/recorded.py describes the files).
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools.stamp import ROOT

PAGES = {"README.md": "en", "README.es.md": "es"}
PLACE = re.compile(r"(?<=<!-- numbers:)(\w+)( -->\n)(.*?)(?=<!-- /numbers -->)", re.DOTALL)
RECORDED = Path("course", "07_memory_access", "recorded", "h200.json")
NOT_YET = {"es": "Aún no hay resultados registrados.\n", "en": "No recorded results yet.\n"}


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table; every column but the first stands to the right."""
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def decimal(value: float, digits: int, lang: str) -> str:
    text = f"{value:.{digits}f}"
    return text.replace(".", ",") if lang == "es" else text


def chapters(root: Path, lang: str) -> str:
    word, heading = {
        "es": ("lección", ["Capítulo", "Lección", "Ejercicios", "Puntos"]),
        "en": ("lesson", ["Chapter", "Lesson", "Exercises", "Points"]),
    }[lang]
    rows = []
    for book in sorted((root / "exercises" / lang).glob("*/exercises.ipynb")):
        cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
        title = next(line for cell in cells for line in cell["source"] if line.startswith("# "))[2:].strip()
        title = re.sub(r": (ejercicios|exercises)$", "", title)
        marks = [cell["metadata"].get("nbgrader", {}) for cell in cells]
        points = [mark["points"] for mark in marks if mark.get("grade")]
        lesson = Path("notebooks", lang, f"{book.parent.name}.ipynb")
        read = f"[{word}]({lesson})" if (root / lesson).exists() else "–"
        rows.append([f"[{title}]({book.relative_to(root)})", read, str(len(points)), f"{sum(points):g}"])
    return table(heading, rows)


def _recorded(root: Path, key: str, lang: str, rows_of: Callable[[Any], str]) -> str:
    """The table of one recorded result and where it comes from, or one line that says there is none."""
    try:
        file = json.loads((root / RECORDED).read_text(encoding="utf-8"))
        found = file["results"][key]
    except (FileNotFoundError, KeyError):
        return NOT_YET[lang]
    versions = ", ".join(f"{name} {version}" for name, version in found.get("versions", {}).items())
    origin = ", ".join(part for part in (file["gpu"], found["date"], versions) if part)
    return f"{rows_of(found['value'])}\n{origin} ([{RECORDED.name}]({RECORDED})).\n"


def h200(root: Path, lang: str) -> str:
    heading = {
        "es": ["Ejercicio", "Línea base, ms", "Solución, ms", "Aceleración", "Del techo medido"],
        "en": ["Exercise", "Baseline, ms", "Solution, ms", "Speed-up", "Of the measured ceiling"],
    }[lang]

    def cells(row: dict[str, Any]) -> list[str]:
        times = [decimal(row[key], 3, lang) for key in ("baseline_ms", "ms")]
        share = f"{100 * row['fraction']:.0f} %" if "fraction" in row else "–"
        return [f"`{row['exercise']}`", *times, decimal(row["ratio"], 2, lang) + "×", share]

    def rows(value: list[dict[str, Any]]) -> str:
        return table(
            heading, [cells(row) for row in value if row["answer"] == "solution" and "error" not in row]
        )

    return _recorded(root, "exercises", lang, rows)


def verdicts(root: Path, lang: str) -> str:
    heading, answers = {
        "es": (
            ["Respuesta", "Veredictos", "Equivocados", "Muy justos"],
            {"baseline": "línea base", "solution": "solución"},
        ),
        "en": (
            ["Answer", "Verdicts", "Wrong", "Too close to call"],
            {"baseline": "baseline", "solution": "solution"},
        ),
    }[lang]
    wrong = {"baseline": "passed", "solution": "slow"}

    def cells(one: dict[str, Any]) -> list[str]:
        total = one["passed"] + one["slow"] + one["too_close"]
        answer = one["answer"]
        return [
            f"`{one['exercise']}`, {answers[answer]}",
            f"{total}",
            f"{one[wrong[answer]]}",
            f"{one['too_close']}",
        ]

    return _recorded(root, "verdicts", lang, lambda value: table(heading, [cells(one) for one in value]))


TABLES = {"chapters": chapters, "h200": h200, "verdicts": verdicts}


def filled(page: str, root: Path, lang: str) -> str:
    """The page with every marked place written anew."""
    return PLACE.sub(lambda place: place[1] + place[2] + TABLES[place[1]](root, lang), page)


def main(arguments: list[str]) -> int:
    stale = []
    for name, lang in PAGES.items():
        page = (ROOT / name).read_text(encoding="utf-8")
        text = filled(page, ROOT, lang)
        if text != page:
            stale.append(name)
            if arguments != ["--check"]:
                (ROOT / name).write_text(text, encoding="utf-8")
    if stale and arguments == ["--check"]:
        print(f"stale numbers in {', '.join(stale)}. To repair: make numbers", file=sys.stderr)
        return 1
    print(f"wrote {', '.join(stale)}" if stale else "the numbers in the READMEs are up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
