"""The instruction patterns of chapter 07 tell the technique from its absence, and resources are those of the compiler."""

import re
import subprocess
from functools import cache

import pytest
from cuda_samples import SAMPLES

from goodput.cuda import machine_code, toolkit
from goodput.cuda.nvrtc import Compiled, compile_cubin

SPILLS = """
extern "C" __global__ void __launch_bounds__(1024) spills(const float* x, float* y) {
  __shared__ float t[1000];
  float v[96];
  t[threadIdx.x % 1000] = x[threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; i++) v[i] = x[i * 1024 + threadIdx.x] * t[i];
  float s = 0;
#pragma unroll
  for (int i = 0; i < 96; i++) { s = s * v[i] + v[95 - i]; y[i + threadIdx.x] = s; }
#pragma unroll
  for (int i = 0; i < 96; i++) { s = s * v[i] + v[i * 7 % 96]; y[i + threadIdx.x] = s; }
}
extern "C" __global__ void frame(float* y, int n) {
  volatile float v[50];
  for (int i = 0; i < n; i++) v[i] = y[i];
  y[threadIdx.x] = v[n - threadIdx.x];
}
extern "C" __global__ void plain(float* y) { y[threadIdx.x] = 1; }
"""


@cache
def compiled(source: str, arch: str) -> Compiled:
    return compile_cubin(source, arch)


@cache
def disassembled(source: str, arch: str) -> str:
    return machine_code.sass(compiled(source, arch).cubin, "k")


@pytest.mark.parametrize("technique", SAMPLES)
def test_the_pattern_finds_the_technique_and_only_it(technique):
    sample = SAMPLES[technique]
    for arch in sample.archs:
        with_it = disassembled(sample.present, arch)
        assert machine_code.count(with_it, sample.pattern) > 0, arch
    without = disassembled(sample.absent, sample.archs[-1])
    assert machine_code.count(without, sample.pattern) == 0


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90a", "sm_120a"])
def test_resources_are_what_the_compiler_says(arch):
    built = compiled(SPILLS, arch)
    found = machine_code.resources(built.cubin, built.log)
    assert sorted(found) == ["frame", "plain", "spills"]
    for name, resources in found.items():
        block = re.search(rf"entry function '{name}'.*?Used (\d+) registers[^\n]*", built.log, re.DOTALL)
        assert block, built.log
        assert resources.registers == int(block[1])
        shared = re.search(r"(\d+) bytes smem", block[0].splitlines()[-1])
        assert resources.shared_bytes == (int(shared[1]) if shared else 0)
        stack = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+)", block[0])
        assert stack and resources.stack_bytes == int(stack[1])
        assert resources.spill_bytes == int(stack[2]) + int(stack[3])
    assert found["spills"].spill_bytes > 0 and found["frame"].stack_bytes >= 200
    assert found["plain"].stack_bytes == found["plain"].shared_bytes == found["plain"].spill_bytes == 0


def test_spills_are_unknown_without_the_log():
    assert machine_code.resources(compiled(SPILLS, "sm_80").cubin)["spills"].spill_bytes is None


def test_registers_and_stack_agree_with_cuobjdump(tmp_path):
    try:
        cuobjdump = toolkit.tool("cuobjdump")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    built = compiled(SPILLS, "sm_90a")
    path = tmp_path / "k.cubin"
    path.write_bytes(built.cubin)
    text = subprocess.run([cuobjdump, "-res-usage", path], capture_output=True, text=True, check=True).stdout
    told = {
        name: (int(regs), int(stack))
        for name, regs, stack in re.findall(r"Function (\w+):\s+REG:(\d+) STACK:(\d+)", text)
    }
    ours = machine_code.resources(built.cubin)
    assert told == {name: (r.registers, r.stack_bytes) for name, r in ours.items()}


def test_machine_code_is_that_of_one_kernel():
    text = machine_code.sass(compiled(SPILLS, "sm_90a").cubin, "plain")
    assert machine_code.count(text, r"\bSTG\b") == 1 and machine_code.count(text, "EXIT") == 1


def test_an_unknown_kernel_lists_the_kernels_there_are():
    with pytest.raises(KeyError, match="spills"):
        machine_code.sass(compiled(SPILLS, "sm_90a").cubin, "spill")


@pytest.mark.parametrize("data", [b"", b"hello", b"\x7fELF\x02" + b"\xff" * 100, b"\x7fELF\x02" + bytes(100)])
def test_bytes_that_are_no_cubin_are_refused(data):
    with pytest.raises(ValueError, match="cubin"):
        machine_code.resources(data)


def test_a_cut_cubin_is_refused():
    cubin = compiled(SPILLS, "sm_80").cubin
    with pytest.raises(ValueError, match="cubin"):
        machine_code.resources(cubin[: len(cubin) // 2])
