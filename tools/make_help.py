"""Print what `make` can do: `python3 -m tools.make_help`, in the language of the terminal.

Takes the Makefile's own lines, `##@ English | Spanish` for a group and `target: ## English | Spanish` for a target. Needs no
environment. Knows nothing of what the targets do.
"""

from __future__ import annotations

import re

from tools.setup_text import language
from tools.stamp import ROOT

VARIABLES = "FROM  CHAPTER  EX  STEP  DEVICE  ISOLATION  JOBS  L=es|en  EXTRAS  PYTHON  ARGS"


def help_lines(makefile: str, lang: str) -> list[str]:
    lines = []
    for line in makefile.splitlines():
        group = re.match(r"##@ (.+) \| (.+)", line)
        target = re.match(r"([a-z]+):.*?## (.+) \| (.+)", line)
        if group:
            lines += ["", group[1 if lang == "en" else 2]]
        elif target:
            lines.append(f"  make {target[1]:<10} {target[2 if lang == 'en' else 3]}")
    return lines


def main() -> None:
    for line in help_lines((ROOT / "Makefile").read_text(), language()):
        print(line)
    print(f"\nVariables: {VARIABLES}")


if __name__ == "__main__":
    main()
