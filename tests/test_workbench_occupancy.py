"""Blocks per multiprocessor: known values, NVIDIA's own calculator, and what is refused."""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from goodput.cuda.kernels import kernel_names
from goodput.occupancy import LIMITS, RESOURCES, blocks_per_sm

ROOT = Path(__file__).resolve().parents[1]
# The calculator of the CUDA toolkit, a header without dependencies; Triton ships a copy.
CALCULATOR = r"""
#include <climits>
#include <cstdio>
#include <cuda_occupancy.h>

int main() {
  int cc[2], threads_sm, shared_sm, reserved, registers, shared, threads;
  while (scanf("%d %d %d %d %d %d %d %d", cc, cc + 1, &threads_sm, &shared_sm, &reserved, &registers, &shared,
               &threads) == 8) {
    cudaOccDeviceProp sm;
    sm.computeMajor = cc[0];
    sm.computeMinor = cc[1];
    sm.maxThreadsPerBlock = 1024;
    sm.maxThreadsPerMultiprocessor = threads_sm;
    sm.regsPerBlock = sm.regsPerMultiprocessor = 65536;
    sm.warpSize = 32;
    sm.sharedMemPerBlock = 49152;
    sm.sharedMemPerMultiprocessor = shared_sm;
    sm.sharedMemPerBlockOptin = shared_sm - reserved;
    sm.reservedSharedMemPerBlock = reserved;
    sm.numSms = 1;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = registers;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = shared;
    kernel.numBlockBarriers = 1;
    cudaOccDeviceState state;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult found;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&found, &sm, &kernel, &state, threads, shared) != CUDA_OCC_SUCCESS) return 1;
    printf("%d %u %d\n", found.activeBlocksPerMultiprocessor, found.limitingFactors, found.blockLimitBlocks);
  }
}
"""
FACTORS = {"threads": 1, "registers": 2, "shared": 4, "blocks": 8}  # OCC_LIMIT_* of the calculator


def calculator(folder: Path) -> Path:
    """NVIDIA's calculator as a program that reads tuples and prints blocks and limiting factors."""
    spec = find_spec("triton")
    include = Path(spec.origin).parent / "backends/nvidia/include" if spec and spec.origin else Path("none")
    if shutil.which("g++") is None or not (include / "cuda_occupancy.h").exists():
        pytest.skip("needs g++ and the cuda_occupancy.h that Triton ships")
    source = folder / "calculator.cpp"
    source.write_text(CALCULATOR)
    program = folder / "calculator"
    subprocess.run(["g++", "-O1", f"-I{include}", "-o", program, source], check=True)
    return program


def test_blocks_and_limiter_are_those_of_nvidias_own_calculator(tmp_path):
    rng = random.Random(7)
    tuples = list(itertools.product((0, 1, 32, 57, 80, 128, 168, 255), (0, 1024, 33000), (1, 32, 160, 1000)))
    tuples += [(rng.randint(0, 255), rng.randint(0, 110_000), rng.randint(1, 1024)) for _ in range(2000)]
    asked, expected = [], []
    for (capability, sm), (registers, shared, threads) in itertools.product(LIMITS.items(), tuples):
        if shared + sm.shared_reserved_bytes > sm.shared_bytes:
            continue  # the calculator would round the carve-out of a block that cannot run
        asked.append(
            (*capability, sm.threads, sm.shared_bytes, sm.shared_reserved_bytes, registers, shared, threads)
        )
        expected.append(blocks_per_sm(registers, shared, threads, capability))
    lines = "".join(" ".join(map(str, one)) + "\n" for one in asked)
    ran = subprocess.run([calculator(tmp_path)], input=lines, capture_output=True, text=True, check=True)
    found = [tuple(map(int, line.split())) for line in ran.stdout.splitlines()]
    assert len(found) == len(expected) > 10_000
    for question, fit, (blocks, factors, most_blocks) in zip(asked, expected, found, strict=True):
        assert most_blocks == LIMITS[question[:2]].blocks
        first = next(name for name in RESOURCES if factors & FACTORS[name])
        assert (fit.blocks, fit.limiter) == (blocks, first), question


@pytest.mark.parametrize(
    ("tuple_", "blocks", "limiter"),
    [
        ((32, 0, 1024, (9, 0)), 2, "threads"),
        ((16, 0, 32, (9, 0)), 32, "blocks"),
        ((57, 0, 256, (9, 0)), 4, "registers"),  # 57 * 32 = 1824 registers of a warp are 2048
        ((80, 0, 160, (9, 0)), 4, "registers"),  # 6 warps in each quarter: 24, not 65536 / 2560 = 25
        ((32, 49152, 128, (9, 0)), 4, "shared"),  # with 1 KiB more for each block, else 4.75
        ((32, 116736, 128, (9, 0)), 1, "shared"),  # half of an SM, and then the reserved kilobyte
        ((255, 0, 512, (8, 0)), 0, "registers"),
        ((32, 65536, 128, (7, 5)), 1, "shared"),  # nothing is reserved before 8.0
        ((32, 0, 512, (8, 6)), 3, "threads"),
    ],
)
def test_known_values(tuple_, blocks, limiter):
    fit = blocks_per_sm(*tuple_)
    assert (fit.blocks, fit.limiter) == (blocks, limiter)


def test_occupancy_counts_warps_against_what_the_sm_can_hold():
    fit = blocks_per_sm(57, 0, 256, (9, 0))
    assert (fit.warps, fit.occupancy) == (32, 0.5)


@pytest.mark.parametrize(
    "tuple_",
    [
        (32, 0, 0, (9, 0)),
        (32, 0, 1025, (9, 0)),
        (-1, 0, 32, (9, 0)),
        (256, 0, 32, (9, 0)),
        (32, -1, 32, (9, 0)),
        (32, 0, 32, (3, 5)),
    ],
)
def test_what_no_kernel_can_have_is_refused(tuple_):
    with pytest.raises(ValueError):
        blocks_per_sm(*tuple_)


@pytest.mark.gpu
def test_the_driver_says_the_same_of_the_shipped_kernels():
    import cuda.bindings.driver as driver
    import torch

    from goodput.cuda import CompileError
    from goodput.cuda.driver import Device
    from goodput.cuda.driver_status import check
    from goodput.cuda.module import Module
    from goodput.cuda.nvrtc import architecture, compile_cubin

    capability = torch.cuda.get_device_capability()
    if capability not in LIMITS:
        pytest.skip(f"no limits for compute capability {capability}")
    compared = 0
    with Device() as device:
        for path in sorted((ROOT / "course/07_memory_access").glob("*.cu")):
            try:
                module = Module(device, compile_cubin(path.read_text(), architecture(capability)).cubin)
            except CompileError:
                continue  # instructions that this GPU does not have
            for name in kernel_names(path.read_text()):
                function = module.function(name)
                for threads, dynamic in itertools.product((32, 96, 160, 256, 512), (0, 1024, 9000)):
                    if threads > function.most_threads:
                        continue
                    found = check(
                        driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(function.handle, threads, dynamic)
                    )
                    fit = blocks_per_sm(
                        function.registers, function.shared_bytes + dynamic, threads, capability
                    )
                    assert fit.blocks == found, (name, threads, dynamic, function)
                    compared += 1
            module.unload()
    assert compared >= 6
