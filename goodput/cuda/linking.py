"""Link relocatable device code with CUDA's device runtime, for kernels that launch kernels (nvJitLink; no GPU needed)."""

from __future__ import annotations

import cuda.bindings.nvjitlink as nvjitlink

from goodput.cuda import toolkit
from goodput.cuda.errors import CompileError, Message


def link_device_runtime(cubin: bytes, arch: str) -> bytes:
    """A cubin that the driver can load; raises `CompileError` with the linker's words (an undefined function, say)."""
    handle = nvjitlink.create(1, [f"-arch={arch}"])
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.CUBIN, cubin, len(cubin), "kernel")
        nvjitlink.add_file(handle, nvjitlink.InputType.LIBRARY, str(toolkit.device_runtime()))
        nvjitlink.complete(handle)
        linked = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, linked)
        return bytes(linked)
    except nvjitlink.nvJitLinkError as error:
        log = bytearray(nvjitlink.get_error_log_size(handle))
        nvjitlink.get_error_log(handle, log)
        text = log.decode(errors="replace").replace("\0", "").strip() or str(error)
        raise CompileError(
            [Message(line=None, column=None, severity="error", text=f"linker: {text}")]
        ) from None
    finally:
        nvjitlink.destroy(handle)
