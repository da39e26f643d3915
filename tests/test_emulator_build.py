"""What does not compile is told at the learner's own line; what builds is cached and can be wrapped."""

import pytest
from emulating import CACHE, call, execute, f32, np, one

from goodput import emulator
from goodput.cuda.errors import CompileError

GOOD = 'extern "C" __global__ void k(float* x) {\n  x[threadIdx.x] = __CUDA_ARCH__;\n}\n'


def refused(source: str, kernel: str = "k"):
    with pytest.raises(CompileError) as caught:
        emulator.build(source, [kernel], cache=CACHE)
    return caught.value.messages[0]


@pytest.mark.parametrize(
    "source, line, text",
    [
        ('extern "C" __global__ void k(float* x) {\n  x[0] = 1\n}\n', 2, "expected ';'"),
        ('#include <cuda_fp16.h>\n\nextern "C" __global__ void k(float* x) {\n\n  x[0] = undeclared;\n}\n', 5, "undeclared"),
        ('#if __CUDA_ARCH__ >= 900\n#error "needs another GPU"\n#endif\n' + GOOD, 2, "needs another GPU"),
        ('extern "C" __global__ void k(float* x) {\n  asm volatile("trap;");\n}\n', 2, "inline PTX cannot run"),
        ('#define A __asm__\nextern "C" __global__ void k(float* x) {\n  A("trap;");\n}\n', 3, "inline PTX cannot run"),
        ('extern "C" int system(const char*);\n' + GOOD.replace("__CUDA_ARCH__", 'system("x")'), 1, "system does not exist"),
        ("extern void helper();\n" + GOOD.replace("x[threadIdx", "helper(), x[threadIdx"), 1, "helper"),
        ("\nvoid emulator_trap(const char*);\n" + GOOD, 2, "belongs to the CPU model"),
        (GOOD.replace("  x[", "  extern __shared__ int\n    s[];\n  x[").replace("__CUDA_ARCH__", "s[0] + no"), 4, "'no'"),
    ],
)  # fmt: skip
def test_messages_name_the_learners_line(source, line, text):
    message = refused(source)
    assert message.line == line and text in message.text and not message.file, message


def test_a_kernel_that_is_not_there_is_a_compile_error():
    assert "nothere" in refused(GOOD, "nothere").text


def test_the_architecture_is_a_build_option():
    got = one(GOOD, "k", 1, 4, ["x"], {"x": np.zeros(4, f32)})
    assert (got["x"] == 900).all()
    program = emulator.build(GOOD, ["k"], arch=750, cache=CACHE)
    run = emulator.run(program, [call(GOOD, "k", 1, 4, ["x"])], {"x": emulator.BufferSpec(bytes(16))})
    assert (np.frombuffer(run.outputs["x"], f32) == 750).all()


def test_a_second_build_finds_the_first(tmp_path):
    seen = []

    def wrap(argv, readable, writable):
        seen.append((argv[0], readable, writable))
        return argv

    first = emulator.build(GOOD, ["k"], cache=tmp_path, wrap=wrap)
    second = emulator.build(GOOD, ["k"], cache=tmp_path, wrap=wrap)
    assert first == second and len(seen) == 1
    assert {p.name.split("-")[0] for p in tmp_path.iterdir()} == {"runtime", "program"}
    argv0, readable, writable = seen[0]
    assert argv0 == "/bin/sh" and len(readable) == 2 and len(writable) == 1


def test_the_program_runs_under_a_wrapper_and_prints():
    source = GOOD.replace("__CUDA_ARCH__;", '1;\n  if (threadIdx.x == 3) printf("hello %d\\n", 7);')
    seen = []

    def wrap(argv, readable, writable):
        seen.append(readable)
        return ["/usr/bin/env", *argv]

    launches = [call(source, "k", 1, 4, ["x"])]
    got = execute(source, ["k"], launches, {"x": np.zeros(4, f32)}, wrap=wrap)
    assert (got["x"] == 1).all() and got.run.printed == "hello 7\n" and len(seen) == 1


def test_a_program_that_dies_is_a_failure_with_its_status():
    program = emulator.build(GOOD, ["k"], cache=CACHE)
    launches = [call(GOOD, "k", 1, 4, ["x"])]
    run = emulator.run(
        program, launches, {"x": emulator.BufferSpec(bytes(16))}, wrap=lambda *_: ["/bin/false"]
    )
    assert run.failure.kind == "died" and not run.outputs


def test_a_buffer_that_is_too_small_for_its_tensor_map_or_unknown_is_refused():
    program = emulator.build(GOOD, ["k"], cache=CACHE)
    run = emulator.run(program, [call(GOOD, "k", 1, 4, ["y"])], {"x": emulator.BufferSpec(bytes(16))})
    assert run.failure.kind == "launch failed" and "y" in run.failure.text
