"""Sources compile for every architecture of the course without a driver; errors name the learner's line."""

import re
import subprocess
import sys

import pytest

from goodput.cuda import cubin_cache, toolkit
from goodput.cuda.cubin import kernels
from goodput.cuda.errors import CompileError
from goodput.cuda.limits import PlanError
from goodput.cuda.nvrtc import architecture, compile_cubin

ARCHS = ("sm_75", "sm_80", "sm_90a", "sm_120a")
DOUBLE = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n'


def errors_of(source: str, arch: str = "sm_90a", **how):
    with pytest.raises(CompileError) as caught:
        compile_cubin(source, arch, **how)
    return [m for m in caught.value.messages if m.severity == "error"]


@pytest.mark.parametrize("arch", ARCHS)
def test_every_architecture_compiles_here(arch):
    built = compile_cubin(DOUBLE, arch)
    assert built.arch == arch and list(kernels(built.cubin)) == ["twice"]


@pytest.mark.parametrize("header", ["cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "mma.h", "cuda/std/cstdint"])
def test_the_headers_of_the_course_are_found(header):
    assert kernels(compile_cubin(f"#include <{header}>\n{DOUBLE}", "sm_90a").cubin)


@pytest.mark.parametrize("arch", ARCHS)
def test_the_primitives_header_compiles_everywhere(arch):
    assert kernels(compile_cubin(f"#include <goodput/primitives.cuh>\n{DOUBLE}", arch).cubin)


def test_a_primitive_that_the_architecture_lacks_is_named():
    source = '#include <goodput/primitives.cuh>\nextern "C" __global__ void f() {\n  cp_commit();\n}\n'
    assert kernels(compile_cubin(source, "sm_80").cubin)
    (message,) = errors_of(source, "sm_75")
    assert message.line == 3 and "cp_commit" in message.text


def test_an_error_has_the_line_column_and_text_of_the_source():
    (message,) = errors_of('extern "C" __global__ void f(float* x) {\n  x[0] = 1;\n  x[1] = wrong + 1;\n}\n')
    assert (message.file, message.line, message.column) == ("", 3, 10)
    assert message.source_line == "x[1] = wrong + 1;" and "wrong" in message.text
    assert str(message).startswith("line 3, column 10: error: ")


def test_the_first_line_of_the_string_is_line_one():
    assert errors_of("int f( {\n")[0].line == 1
    assert errors_of("\nint f( {\n")[0].line == 2


def test_tabs_count_as_one_column():
    (message,) = errors_of('extern "C" __global__ void f(int* x) {\n\tx[0] = 1;\tx[1] = wrong;\n}\n')
    assert message.column == 2 + len("x[0] = 1;\tx[1] = ")


def test_errors_stand_before_warnings_in_order_of_lines():
    source = 'extern "C" __global__ void f(float* x) {\n  int unused;\n  x[0] = one;\n  x[1] = two;\n}\n'
    with pytest.raises(CompileError) as caught:
        compile_cubin(source, "sm_80")
    assert [(m.severity, m.line) for m in caught.value.messages] == [
        ("error", 3),
        ("error", 4),
        ("warning", 2),
    ]


def test_an_error_inside_a_macro_names_the_line_that_uses_it():
    (message,) = errors_of(
        '#define BAD(a) undefined_name(a)\nextern "C" __global__ void f(float* x) {\n  x[0] = BAD(3);\n}\n'
    )
    assert (message.file, message.line) == ("", 3) and "undefined_name" in message.text


def test_an_error_inside_a_header_keeps_the_name_of_the_header():
    (message, *_) = errors_of(
        "#define __forceinline__ nonsense\n#include <goodput/primitives.cuh>\n" + DOUBLE
    )
    assert message.file.endswith("goodput/primitives.cuh") and message.source_line == ""


def test_a_missing_header_is_named_with_its_line():
    (message,) = errors_of(f"{DOUBLE}#include <not_there.h>\n")
    assert message.line == 2 and "not_there.h" in message.text


def test_an_error_in_inline_ptx_names_the_line_of_the_asm():
    messages = errors_of(
        'extern "C" __global__ void f(float* x) {\n  x[0] = 1;\n\n  asm volatile("foo.bar;");\n}\n'
    )
    assert {m.line for m in messages} == {4} and any("foo" in m.text for m in messages)


def test_too_much_static_shared_memory_is_an_error_of_the_source():
    body = "__shared__ float t[99999]; t[threadIdx.x] = x[0]; __syncthreads(); x[1] = t[3];"
    (message,) = errors_of(f'extern "C" __global__ void f(float* x) {{ {body} }}\n')
    assert "uses too much shared data" in message.text


def test_warnings_are_kept_when_it_compiles():
    built = compile_cubin(
        'extern "C" __global__ void f(float* x) {\n  int unused = 3;\n  x[0] = 1;\n}\n', "sm_80"
    )
    assert [(m.severity, m.line) for m in built.warnings] == [("warning", 2)]


def test_options_reach_the_compiler():
    source = f"#ifndef LANES\n#error LANES is missing\n#endif\n{DOUBLE}"
    assert errors_of(source)[0].line == 2
    assert kernels(compile_cubin(source, "sm_80", ["-DLANES=32"]).cubin)


def test_kernels_that_launch_kernels_are_linked_with_the_device_runtime():
    source = """#include <cuda_device_runtime_api.h>
extern "C" __global__ void child(float* x) { x[threadIdx.x] = 1; }
extern "C" __global__ void parent(float* x) { child<<<1, 32, 0, cudaStreamFireAndForget>>>(x); }
"""
    assert set(kernels(compile_cubin(source, "sm_90a", rdc=True).cubin)) == {"child", "parent"}


def test_an_undefined_function_is_named_by_the_linker():
    source = '__device__ int nowhere();\nextern "C" __global__ void f(int* x) { x[0] = nowhere(); }\n'
    (message,) = errors_of(source, rdc=True)
    assert "nowhere" in message.text and message.line is None


def test_a_source_that_no_plan_could_hold_is_refused():
    with pytest.raises(PlanError, match="shorten it"):
        compile_cubin(" " * (256 * 1024 + 1), "sm_80")


def test_architectures_are_named_after_capabilities():
    names = [architecture(c) for c in ((7, 5), (8, 0), (8, 9), (9, 0), (10, 0), (12, 0))]
    assert names == ["sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a"]


def test_the_cache_returns_the_same_cubin_log_and_warnings(tmp_path):
    source = 'extern "C" __global__ void f(float* x) {\n  int unused = 3;\n  x[0] = 1;\n}\n'
    first = compile_cubin(source, "sm_80", cache=tmp_path)
    kept = sorted(p.name for p in tmp_path.iterdir())
    assert len(kept) == 2
    assert compile_cubin(source, "sm_80", cache=tmp_path) == first
    assert sorted(p.name for p in tmp_path.iterdir()) == kept


def test_the_cache_keeps_apart_what_compiles_differently(tmp_path):
    compile_cubin(DOUBLE, "sm_80", cache=tmp_path)
    compile_cubin(DOUBLE, "sm_75", cache=tmp_path)
    compile_cubin(DOUBLE, "sm_80", ["-DA=1"], cache=tmp_path)
    compile_cubin(DOUBLE + " ", "sm_80", cache=tmp_path)
    assert len(list(tmp_path.glob("*.cubin"))) == 4


def test_without_a_cache_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compile_cubin(DOUBLE, "sm_80")
    assert cubin_cache.user_folder().is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_compiling_needs_neither_torch_nor_a_driver():
    code = (
        "import sys; from goodput.cuda.nvrtc import compile_cubin; "
        f"compile_cubin({DOUBLE!r}, 'sm_80'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_the_emulators_primitives_have_the_names_of_ours():
    def functions(path):
        return set(
            re.findall(
                r"^(?:__device__ __forceinline__|EMULATOR_INLINE) \w+ (\w+)\(", path.read_text(), re.MULTILINE
            )
        )

    package = toolkit.OWN_HEADERS.parent.parent
    ours = functions(toolkit.OWN_HEADERS / "goodput" / "primitives.cuh")
    emulated = functions(package / "emulator" / "device" / "goodput" / "primitives.cuh")
    assert {"cp_async16", "mbar_wait", "tma_load_2d"} <= emulated <= ours
