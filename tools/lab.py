"""Start JupyterLab on the learner's own copy: `python -m tools.lab`, or `make lab`.

Copies the exercises and the lessons of the language in use into work/<lang>/<chapter>/ and never touches a file that is there
already; then becomes JupyterLab in work/<lang>, with further arguments passed on. Knows nothing of grading.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tools.setup_text import language
from tools.stamp import ROOT


def sources(root: Path, lang: str) -> dict[Path, Path]:
    """Derived notebook -> the learner's copy of it."""
    work = root / "work" / lang
    found = {
        p: work / p.parent.name / p.name
        for p in sorted((root / "exercises" / lang).glob("*/exercises.ipynb"))
    }
    lessons = sorted((root / "notebooks" / lang).glob("*.ipynb"))
    return found | {p: work / p.stem / "lesson.ipynb" for p in lessons}


def copy_missing(root: Path, lang: str) -> list[Path]:
    """Copy what the learner does not have yet; returns the new files."""
    new = []
    for source, target in sources(root, lang).items():
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open(
                "xb"
            ) as file:  # "x": refuses an existing file, so no copy can replace somebody's work
                file.write(source.read_bytes())
        except FileExistsError:
            continue
        new.append(target)
    return new


def start(work: Path, arguments: list[str]) -> None:
    """Become JupyterLab."""
    as_root = ["--allow-root"] if os.geteuid() == 0 else []  # containers: Jupyter refuses root otherwise
    sys.stdout.flush()
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={work}", *as_root, *arguments]
    os.execv(sys.executable, command)


def main(arguments: list[str]) -> int:
    lang = language()
    for path in copy_missing(ROOT, lang):
        print({"es": "copiado", "en": "copied"}[lang], path.relative_to(ROOT))
    work = ROOT / "work" / lang
    if work.exists():
        os.environ["GOODPUT_LANG"] = lang  # what check() and hint() speak
        # Kernels start in the notebook's folder; with GOODPUT_ENV=current nothing has installed this checkout.
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        start(work, arguments)
    print(
        {"es": "No hay cuadernos; genéralos con make notebooks", "en": "No notebooks: make notebooks"}[lang],
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
