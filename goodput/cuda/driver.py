"""One GPU through the CUDA driver: a context, memory, copies, streams and events. No torch.

    device = Device(0)                  # the context that torch uses too; Device(0, own_context=True) for one
    of its own x = device.alloc(nbytes)            # an address, as an int handle = device.export(x)
    # 64 bytes that another process opens with device.open(handle)

Addresses, streams and events are plain ints. Methods make the device's context current first, so that several
devices and threads can be used in turn. Raises `LaunchError` with the driver's name for what went wrong.
Knows nothing of kernels.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import cuda.bindings.driver as driver

from goodput.cuda.driver_status import check

# The driver exports whole blocks of 2 MiB: a smaller allocation would take its neighbours along to the other
# process.
EXPORT_BYTES = 2 * 2**20
HANDLE_BYTES = 64


class Device:
    """A GPU and a context on it. Close it, or use it in a `with` statement."""

    def __init__(self, ordinal: int = 0, *, own_context: bool = False) -> None:
        check(driver.cuInit(0))
        self.ordinal = ordinal
        self._own = own_context
        self._device = check(driver.cuDeviceGet(ordinal))
        self._context = (
            check(driver.cuCtxCreate(None, 0, self._device))
            if own_context
            else check(driver.cuDevicePrimaryCtxRetain(self._device))
        )
        self.use()

    def use(self) -> None:
        """Make this device's context the current one of the calling thread."""
        check(driver.cuCtxSetCurrent(self._context))

    def close(self) -> None:
        if self._context is None:
            return
        if self._own:
            check(driver.cuCtxDestroy(self._context))
        else:
            check(driver.cuDevicePrimaryCtxRelease(self._device))
        self._context = None

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- facts

    @property
    def name(self) -> str:
        return check(driver.cuDeviceGetName(128, self._device)).split(b"\0")[0].decode(errors="replace")

    @property
    def multiprocessors(self) -> int:
        return self._attribute("MULTIPROCESSOR_COUNT")

    @property
    def capability(self) -> tuple[int, int]:
        return self._attribute("COMPUTE_CAPABILITY_MAJOR"), self._attribute("COMPUTE_CAPABILITY_MINOR")

    @property
    def shared_bytes_per_block(self) -> int:
        """The most shared memory, static and dynamic together, that one block can have."""
        return self._attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")

    def memory(self) -> tuple[int, int]:
        """(free, total) bytes."""
        self.use()
        return check(driver.cuMemGetInfo())

    def _attribute(self, name: str) -> int:
        attribute = getattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return check(driver.cuDeviceGetAttribute(attribute, self._device))

    # ---- memory

    def alloc(self, nbytes: int) -> int:
        """Address of `nbytes` bytes of device memory, a multiple of 256; the content is arbitrary."""
        self.use()
        return int(check(driver.cuMemAlloc(max(1, nbytes))))

    def alloc_for_export(self, nbytes: int) -> int:
        """The same, alone in its blocks of 2 MiB, so that `export` shows nothing else to the other process."""
        return self.alloc(-(-max(1, nbytes) // EXPORT_BYTES) * EXPORT_BYTES)

    def free(self, address: int) -> None:
        self.use()
        check(driver.cuMemFree(address))

    def export(self, address: int) -> bytes:
        """A handle of 64 bytes for an address that `alloc` returned; valid until it is freed."""
        self.use()
        handle = check(driver.cuIpcGetMemHandle(address))
        return ctypes.string_at(handle.getPtr(), HANDLE_BYTES)

    def open(self, handle: bytes) -> int:
        """Address, in this process, of memory that another process exported; give it back with `close_import`."""
        if len(handle) != HANDLE_BYTES:
            raise ValueError(
                f"a memory handle has {HANDLE_BYTES} bytes, got {len(handle)}: pass what export returned"
            )
        self.use()
        native = driver.CUipcMemHandle()
        ctypes.memmove(native.getPtr(), handle, HANDLE_BYTES)
        lazily = driver.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
        return int(check(driver.cuIpcOpenMemHandle(native, lazily)))

    def close_import(self, address: int) -> None:
        self.use()
        check(driver.cuIpcCloseMemHandle(address))

    # ---- copies; `stream` is an int, 0 for the default stream

    def fill(self, address: int, nbytes: int, byte: int, stream: int = 0) -> None:
        """Set every byte; returns before it is done."""
        if nbytes:
            self.use()
            check(driver.cuMemsetD8Async(address, byte, nbytes, driver.CUstream(stream)))

    def to_device(self, address: int, data: bytes | bytearray | memoryview, stream: int = 0) -> None:
        """Copy host bytes to the device; returns when `data` may be changed again."""
        view = memoryview(data).cast("B")
        if view.nbytes:
            self.use()
            source = bytes(view) if view.readonly else (ctypes.c_char * view.nbytes).from_buffer(view)
            start = source if isinstance(source, bytes) else ctypes.addressof(source)
            check(driver.cuMemcpyHtoDAsync(address, start, view.nbytes, driver.CUstream(stream)))
            check(driver.cuStreamSynchronize(driver.CUstream(stream)))

    def to_host(self, address: int, nbytes: int, stream: int = 0) -> bytearray:
        """The device's bytes after everything before it in the stream."""
        data = bytearray(nbytes)
        if nbytes:
            self.use()
            target = (ctypes.c_char * nbytes).from_buffer(data)
            check(
                driver.cuMemcpyDtoHAsync(ctypes.addressof(target), address, nbytes, driver.CUstream(stream))
            )
            check(driver.cuStreamSynchronize(driver.CUstream(stream)))
            del target  # a bytearray with an exported buffer could not grow
        return data

    def copy(self, target: int, source: int, nbytes: int, stream: int = 0) -> None:
        """Device to device; returns before it is done."""
        if nbytes:
            self.use()
            check(driver.cuMemcpyDtoDAsync(target, source, nbytes, driver.CUstream(stream)))

    # ---- order and time

    def synchronize(self) -> None:
        """Wait for all work of the context; raises the error of a kernel that failed since the last time."""
        self.use()
        check(driver.cuCtxSynchronize())

    def new_stream(self) -> int:
        """A stream that does not wait for the default stream; free it with `free_stream`."""
        self.use()
        return int(check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING)))

    def free_stream(self, stream: int) -> None:
        self.use()
        check(driver.cuStreamDestroy(driver.CUstream(stream)))

    @contextmanager
    def timed(self, stream: int = 0) -> Iterator[Timing]:
        """Time the work that the block puts into `stream` on the GPU's own clock: `timing.elapsed_ms()` after the block."""
        self.use()
        timing = Timing(stream)
        timing.start()
        yield timing
        timing.stop()


class Timing:
    """Two CUDA events around some work."""

    def __init__(self, stream: int) -> None:
        self._stream = driver.CUstream(stream)
        default = driver.CUevent_flags.CU_EVENT_DEFAULT
        self._events: list[driver.CUevent] = []
        for _ in range(2):
            self._events.append(check(driver.cuEventCreate(default)))

    def start(self) -> None:
        check(driver.cuEventRecord(self._events[0], self._stream))

    def stop(self) -> None:
        check(driver.cuEventRecord(self._events[1], self._stream))

    def elapsed_ms(self) -> float:
        """Waits for the end; resolution 0.5 us."""
        check(driver.cuEventSynchronize(self._events[1]))
        return check(driver.cuEventElapsedTime(*self._events))

    def __del__(self) -> None:
        for event in self._events:
            driver.cuEventDestroy(event)
