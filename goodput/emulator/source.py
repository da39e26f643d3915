"""Turns the learner's CUDA C++ into one translation unit that g++ can compile.

`translation_unit(source, kernels) -> str`; line numbers of the learner's text are kept. Dynamic shared memory
becomes a pointer to the runtime's block of it. `constant_names(source)` lists the `__constant__` variables. Knows nothing of
compilers or files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from goodput.cuda.errors import CompileError, Message

ANSWER = "answer.cu"  # the name that the compiler and the debug information give to the learner's text

_ALIGNMENT = r"(?:(?:__align__|alignas|__attribute__)\s*\((?:[^()]|\([^()]*\)|\(\([^()]*\)\))*\)\s*)"
_DYNAMIC_SHARED = re.compile(
    rf"extern\s+{_ALIGNMENT}?__shared__\s+{_ALIGNMENT}?(?P<type>[\w:<>,\s\*]+?)\s*{_ALIGNMENT}?"
    r"\b(?P<name>\w+)\s*\[\s*\]\s*(?P<rest>(?:\[[^\]]*\]\s*)*);"
)
_CONSTANT = re.compile(r"__constant__[^;={}\[\]()]*?(\w+)\s*(?=[\[;={])")
_RUNTIME_NAME = re.compile(r"\b(?:emulator_\w*|__tsan_\w*|EMULATOR_\w*)\b")
_UNDEF = re.compile(r"^\s*#\s*undef\s+(?:__)?asm", re.MULTILINE)


def _dynamic_shared(match: re.Match[str]) -> str:
    kind, name, rest = match["type"], match["name"], match["rest"].strip()
    pointer = f"{kind} (*const {name}){rest}" if rest else f"{kind}* const {name}"
    target = f"{kind} (*){rest}" if rest else f"{kind}*"
    # the same number of lines as before; a variable nobody reads is no error
    return f"__attribute__((unused)) {pointer} = ({target})emulator_dynamic_shared;" + "\n" * match[0].count(
        "\n"
    )


def translation_unit(source: str, kernels: Sequence[str]) -> str:
    """C++ text: the learner's source from line 1, then the table through which the runtime calls the kernels."""
    for pattern, text in (
        (_RUNTIME_NAME, "this name belongs to the CPU model: choose another one"),
        (_UNDEF, "inline PTX cannot run on the CPU model: use goodput/primitives.cuh"),
    ):
        if match := pattern.search(source):
            line = source.count("\n", 0, match.start()) + 1
            raise CompileError(
                [Message(line, None, "error", text, source_line=source.split("\n")[line - 1].strip())]
            )
    body = _DYNAMIC_SHARED.sub(_dynamic_shared, source)
    table = "\n".join(
        f"static void emulator_thunk_{i}(void** a) {{ emulator_call::call({name}, a); }}"
        for i, name in enumerate(kernels)
    )
    entries = ", ".join(
        f"emulator_call::entry(&emulator_thunk_{i}, {name})" for i, name in enumerate(kernels)
    )
    return (
        f'{body}\n#line 1 "kernel table"\n{table}\n'
        f'extern "C" {{ extern const emulator_call::Entry emulator_kernels[]; extern const unsigned emulator_nkernels; }}\n'
        f"const emulator_call::Entry emulator_kernels[] = {{{entries}}};\nconst unsigned emulator_nkernels = {len(kernels)};\n"
    )


def constant_names(source: str) -> list[str]:
    return _CONSTANT.findall(source)
