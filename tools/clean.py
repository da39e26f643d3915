"""Remove what can be made again without a download: build/ and the caches of tools. Keeps .venv and work/."""

from __future__ import annotations

import shutil

from tools.stamp import ROOT

REMADE = ("build", ".pytest_cache", ".ruff_cache", ".hypothesis", "goodput.egg-info")


def main() -> None:
    for name in REMADE:
        shutil.rmtree(ROOT / name, ignore_errors=True)
    for room in ("course", "goodput", "grader", "tests", "tools"):
        for cache in (ROOT / room).rglob("__pycache__"):
            shutil.rmtree(cache, ignore_errors=True)


if __name__ == "__main__":
    main()
