"""Everything about the repository that needs no run of the course: `python -m tools.check`, or `make check`.

Runs the checks below one after another, whatever the earlier ones said, and ends with one line for each. Exit code 0: all is
well; 1: something is not. `--format` instead lets ruff repair format and imports. Knows nothing of what the checks look at.
"""

from __future__ import annotations

import subprocess
import sys
import time

from tools.stamp import ROOT

CHECKS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["pyright"],
    "derived notebooks and twins": ["tools.notebooks", "--check"],
    "numbers in the READMEs": ["tools.readme_numbers", "--check"],
}
REPAIRS = {"imports": ["ruff", "check", "--fix", "--select", "I", "."], "format": ["ruff", "format", "."]}


def run(commands: dict[str, list[str]]) -> bool:
    lines, well = [], True
    for name, (module, *arguments) in commands.items():
        print(f"== {name}", flush=True)
        started = time.monotonic()
        done = (
            subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=False).returncode == 0
        )
        well = well and done
        lines.append(f"{'ok    ' if done else 'FAILED'} {time.monotonic() - started:6.1f} s  {name}")
    print("\n" + "\n".join(lines))
    return well


def main(arguments: list[str]) -> int:
    return 0 if run(REPAIRS if arguments == ["--format"] else CHECKS) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
