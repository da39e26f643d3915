"""Builds a learner's CUDA C++ into a small executable for the CPU: its kernels and the runtime, no Python.

`build(source, kernels) -> Program`. Raises `CompileError` with the learner's lines. g++ instruments every load and store
(-fsanitize=thread with callbacks of our own); the runtime is compiled once and cached by content, programs likewise. `wrap`
puts the compiler into a sandbox. Knows nothing of launches or judgement.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

from goodput.cuda.errors import CompileError, Message
from goodput.emulator.compiler_output import messages, undefined
from goodput.emulator.source import ANSWER, constant_names, translation_unit

HERE = Path(__file__).parent
DEVICE, RUNTIME = HERE / "device", HERE / "runtime"
COMPILE_LIMIT_S = 60  # a kernel takes 0.2 to 1 s; templates that never end must
ANSWER_FLAGS = [
    "-std=c++17", "-O1", "-g1", "-w", "-fno-pie", "-fsanitize=thread", "-fdata-sections", "-fno-strict-aliasing",
    "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fno-stack-protector", "-fstack-clash-protection",
    "-ffp-contract=off", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never", "-fmax-errors=20",
]  # fmt: skip
RUNTIME_FLAGS = ["-std=gnu++20", "-O2", "-fno-pie", "-fno-exceptions", "-fno-rtti"]
# What compiled kernels may call besides the runtime: the mathematical library and what g++ itself inserts.
_ALLOWED = re.compile(
    r"emulator_\w+|__tsan_\w+|(?:thread|block)Idx|(?:block|grid)Dim|mem(?:cpy|set|move)|printf|puts|putchar|__sincosf?|"
    r"_GLOBAL_OFFSET_TABLE_|__dso_handle|__(?:mul|div|mod|udiv|umod|add|sub|ext|trunc|float|fix|popcount|clz|ctz|ffs)\w+|"
    r"(?:a?(?:sin|cos|tan)h?|sincos|sqrt|cbrt|exp2?|exp10|expm1|log(?:2|10|1p)?|erfc?|[tl]gamma|floor|ceil|trunc|l?l?r?round|l?l?rint|"
    r"nearbyint|fabs|pow|atan2|hypot|fmod|fmin|fmax|copysign|remainder|fdim|fma|ldexp)f?"
)

Wrap = Callable[[list[str], list[str], list[str]], list[str]]


class EmulatorUnavailable(RuntimeError):
    """This machine cannot build or run the CPU model; the sentence says what is missing."""


@dataclass(frozen=True)
class Symbol:
    name: str
    address: int
    nbytes: int


@dataclass(frozen=True)
class Program:
    """An executable and what is needed to call it: kernel names in table order, and addresses of its variables."""

    path: Path
    source: str
    kernels: tuple[str, ...]
    shared: tuple[Symbol, ...]
    device: tuple[Symbol, ...]
    constants: tuple[Symbol, ...]

    @property
    def executable(self) -> Path:
        return self.path / "program"


def default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "goodput" / "emulator"


@once
def compiler() -> tuple[str, str]:
    """Path and version of g++; raises `EmulatorUnavailable` with the remedy."""
    if platform.machine() not in ("x86_64", "AMD64"):
        raise EmulatorUnavailable(
            f"the CPU model switches threads with x86-64 code; this machine is {platform.machine()}"
        )
    path = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("g++")
    if path is None:
        raise EmulatorUnavailable("g++ is not installed: install g++ 11 or later (Debian: apt install g++)")
    version = subprocess.run([path, "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    if not version.split(".")[0].isdigit() or int(version.split(".")[0]) < 11:
        raise EmulatorUnavailable(
            f"{path} is not g++ 11 or later (it says {version or 'nothing'}): set CXX to one that is"
        )
    return path, version


@once
def tool(name: str) -> str:
    """Path of a binutils program that belongs to the compiler."""
    found = subprocess.run([compiler()[0], f"-print-prog-name={name}"], capture_output=True, text=True)
    return found.stdout.strip() or name


def build(
    source: str,
    kernels: Sequence[str],
    *,
    arch: int = 900,
    wrap: Wrap | None = None,
    cache: str | os.PathLike | None = None,
) -> Program:
    """Compile `source`; `kernels` are the names that launches will use; `arch` is the value of __CUDA_ARCH__."""
    root = Path(cache) if cache is not None else default_cache()
    runtime = _runtime(root)
    unit = translation_unit(source, kernels)
    digest = hashlib.sha256(f"{runtime.name}\0{arch}\0{unit}".encode()).hexdigest()[:24]
    path = root / f"program-{digest}"
    if not (path / "program.json").exists():
        _compile(unit, source, runtime, arch, wrap, path)
    facts = json.loads((path / "program.json").read_text())
    groups = {key: tuple(Symbol(*entry) for entry in facts[key]) for key in ("shared", "device", "constants")}
    return Program(path, source, tuple(kernels), **groups)


@once
def _runtime_digest() -> str:
    digest = hashlib.sha256(repr((compiler(), RUNTIME_FLAGS, ANSWER_FLAGS)).encode())
    for file in sorted([*RUNTIME.iterdir(), *DEVICE.rglob("*")]):
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _runtime(root: Path) -> Path:
    """Folder with the runtime's objects, compiled on first use."""
    path = root / f"runtime-{_runtime_digest()}"
    if path.exists():
        return path
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root) as work:
        jobs = [
            subprocess.Popen(
                [compiler()[0], *RUNTIME_FLAGS, "-c", str(file), "-o", f"{work}/runtime_{file.stem}.o"],
                stderr=subprocess.PIPE,
            )
            for file in sorted(RUNTIME.glob("*.cpp"))
        ]
        for job in jobs:
            _, stderr = job.communicate()
            if job.returncode:
                raise EmulatorUnavailable(
                    f"the runtime of the CPU model does not compile here:\n{stderr.decode(errors='replace')[:2000]}"
                )
        shutil.copy(RUNTIME / "layout.ld", work)
        _publish(Path(work), path)
    return path


def _publish(work: Path, path: Path) -> None:
    """Move a finished folder into place; another process may have been faster, with the same content."""
    staged = Path(tempfile.mkdtemp(dir=path.parent, prefix=".staged-"))
    staged.chmod(0o755)
    for file in work.iterdir():
        shutil.move(str(file), staged)
    try:
        staged.rename(path)
    except OSError:
        shutil.rmtree(staged)


# One shell so that a sandbox, which may clear the environment, is entered once. Arguments: compiler, work folder, runtime
# folder, then the flags.
_SCRIPT = """
cxx=$1 work=$2 runtime=$3; shift 3; cd "$work" || exit 9
PATH=${cxx%/*}:/usr/local/bin:/usr/bin:/bin LC_ALL=C TMPDIR=$work; export PATH LC_ALL TMPDIR
nm=$("$cxx" -print-prog-name=nm)
"$cxx" "$@" -x c++ -c answer.cu -o answer.o || exit 1
"$nm" -u answer.o > undefined || exit 9
"$cxx" -no-pie -Wl,-T,"$runtime/layout.ld" -Wl,--as-needed answer.o "$runtime"/runtime_*.o -lm -o program || exit 2
"$nm" -S program > symbols || exit 9
"""


def _compile(unit: str, source: str, runtime: Path, arch: int, wrap: Wrap | None, path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        work = Path(folder)
        (work / ANSWER).write_text(unit)
        flags = [*ANSWER_FLAGS, f"-D__CUDA_ARCH__={arch}", f"-I{DEVICE}", "-include", "emulator.h"]
        argv = ["/bin/sh", "-c", _SCRIPT, "sh", compiler()[0], folder, str(runtime), *flags]
        if wrap is not None:
            argv = wrap(argv, [str(DEVICE), str(runtime)], [folder])
        try:
            done = subprocess.run(argv, capture_output=True, timeout=COMPILE_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise CompileError(
                [Message(None, None, "error", f"g++ did not finish in {COMPILE_LIMIT_S} s")]
            ) from None
        stderr = done.stderr.decode(errors="replace")
        if done.returncode:
            raise CompileError(messages(stderr, source))
        for line in (work / "undefined").read_text().splitlines():
            name = line.split()[-1]
            if not _ALLOWED.fullmatch(name):
                raise CompileError([undefined(name, source)])
        facts = _variables((work / "symbols").read_text(), constant_names(source))
        for name in (ANSWER, "answer.o", "undefined", "symbols"):
            (work / name).unlink()
        (work / "program.json").write_text(json.dumps(facts))
        _publish(work, path)


def _plain(name: str) -> str:
    """The name a learner knows a variable by: t for _ZZ6columnILi0EEvPKfPfE1t, taps for _ZL4taps."""
    match = re.search(r"(?:^_ZL?|E)(\d+)([A-Za-z_]\w*)$", name)
    return match[2][: int(match[1])] if name.startswith("_Z") and match else name.split(".")[0]


def _variables(symbols: str, constants: list[str]) -> dict[str, list]:
    entries, borders = [], {}
    for line in symbols.splitlines():
        parts = line.split()
        if len(parts) == 4:
            entries.append((_plain(parts[3]), int(parts[0], 16), int(parts[1], 16)))
        elif len(parts) == 3 and parts[2].startswith("goodput_"):
            borders[parts[2]] = int(parts[0], 16)

    def within(area: str) -> list:
        low, high = borders[f"goodput_{area}_start"], borders[f"goodput_{area}_end"]
        return [entry for entry in entries if low <= entry[1] < high]

    device = within("device")
    return {
        "shared": within("shared"),
        "device": device,
        "constants": [entry for entry in device if entry[0] in constants],
    }
