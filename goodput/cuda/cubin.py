"""Read a cubin (an ELF file): which kernels it holds and what each needs. Needs no CUDA tool.

`kernels(cubin) -> {name: Entry}`. Registers and stack come from the attributes that the compiler writes
beside the code (.nv.info), static shared memory from the size of its section. Source of the attribute
numbers: compared with what `cuobjdump -res-usage` prints for toolkits 12.x and 13.x; a test repeats the
comparison where cuobjdump is installed.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

_SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
_SYMBOL = struct.Struct("<IBBHQQ")  # Elf64_Sym
_SYMTAB = 2  # section type of the symbol table
_FUNCTION = 2  # symbol type
_ENTRY = 0x10  # flag in st_other: a kernel, not a device function
_REGISTERS, _STACK = 0x2F, 0x12  # attributes of .nv.info: (symbol, value)
_RUNTIME = "__nv_static"  # kernels of the device runtime that `rdc=True` links in: not the learner's
_WORDS = 4  # format of an attribute that has a list of 32-bit words; others hold their value in the header


@dataclass(frozen=True)
class Entry:
    """One kernel in a cubin."""

    symbol: int  # index in the symbol table, as nvdisasm wants it
    registers: int  # per thread
    stack_bytes: int  # per thread, in local memory
    shared_bytes: int  # static, per block; without the 1 KiB that the system reserves from 9.0 on


def kernels(cubin: bytes) -> dict[str, Entry]:
    """Kernel name (mangled unless `extern "C"`) -> Entry; raises `ValueError` when this is no cubin."""
    if cubin[:5] != b"\x7fELF\x02":
        raise ValueError("not a cubin (no 64-bit ELF header): pass what compile_cubin returned")
    try:
        return _kernels(cubin)
    except (struct.error, IndexError, OverflowError, StopIteration, ValueError) as error:
        raise ValueError(f"not a complete cubin ({error}): compile again") from None


def _kernels(cubin: bytes) -> dict[str, Entry]:
    (table,) = struct.unpack_from("<Q", cubin, 40)
    size, count, names_at = struct.unpack_from("<HHH", cubin, 58)
    headers = [_SECTION.unpack_from(cubin, table + i * size) for i in range(count)]
    names = headers[names_at][4]
    sections = {_text(cubin, names + h[0]): h for h in headers}
    symbols = next(h for h in headers if h[1] == _SYMTAB)
    strings = headers[symbols[6]][4]
    info = _attributes(cubin, sections)
    found, reserved = {}, 0
    for index in range(symbols[5] // _SYMBOL.size):
        name_at, kind, other, _, _, _ = _SYMBOL.unpack_from(cubin, symbols[4] + index * _SYMBOL.size)
        name = _text(cubin, strings + name_at)
        if name.startswith(".nv.reservedSmem"):
            reserved = 1024  # bytes, from compute capability 9.0 on
        if kind & 0xF != _FUNCTION or not other & _ENTRY or name.startswith(_RUNTIME):
            continue
        shared = sections[f".nv.shared.{name}"][5] if f".nv.shared.{name}" in sections else 0
        found[name] = Entry(
            symbol=index,
            registers=info.get((_REGISTERS, index), 0),
            stack_bytes=info.get((_STACK, index), 0),
            shared_bytes=shared,
        )
    return {
        name: replace(entry, shared_bytes=max(0, entry.shared_bytes - reserved))
        for name, entry in found.items()
    }


def _attributes(cubin: bytes, sections: dict[str, tuple]) -> dict[tuple[int, int], int]:
    """(attribute, symbol) -> value"""
    if ".nv.info" not in sections:
        return {}
    at, end = sections[".nv.info"][4], sections[".nv.info"][4] + sections[".nv.info"][5]
    found = {}
    while at < end:
        kind, attribute, size = struct.unpack_from("<BBH", cubin, at)
        at += 4
        if kind == _WORDS:
            if size == 8:
                symbol, value = struct.unpack_from("<II", cubin, at)
                found[attribute, symbol] = value
            at += size
    return found


def _text(cubin: bytes, at: int) -> str:
    return cubin[at : cubin.index(b"\0", at)].decode(errors="replace")
