"""What an answer's Python asks for on meta tensors is what the plan holds."""

import ctypes

import pytest
import torch

from goodput.cuda import (
    PlanError,
    compute_capability,
    from_json,
    kernel,
    launch,
    multiprocessors,
    record,
    recording,
    tensor_map,
    to_json,
)
from goodput.cuda.plan import Buffer, Constant, MapArg, Scalar

SOURCE = """
// __global__ void in_a_comment(float* x) {}
__constant__ float taps[17];
extern "C" __global__ void __launch_bounds__(256, 2) f(float* x, int n) {}
extern "C" __global__ void g(float* x) {}
"""
F = kernel(SOURCE, "f")


def meta(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def args_of(function, **arguments):
    return record(function, arguments).launches[0].args


def test_views_keep_their_buffer_and_get_a_byte_offset():
    def answer(x, out):
        launch(F, 1, 32, [x[2:], out.view(-1)[3:], x.T, x.view(torch.int16)[1], x.unflatten(1, (2, 4))[:, 1]])

    assert args_of(answer, x=meta(10, 8), out=meta(4, 4)) == (
        Buffer("x", 64), Buffer("out", 12), Buffer("x", 0), Buffer("x", 32), Buffer("x", 16)
    )  # fmt: skip


def test_offsets_count_from_the_start_of_the_storage_that_was_given():
    whole = meta(10, 8)
    assert args_of(lambda x: launch(F, 1, 32, [x, x[1:]]), x=whole[3:, 2:]) == (
        Buffer("x", 104),
        Buffer("x", 136),
    )


def test_two_names_of_one_storage_share_the_first_name():
    whole = meta(64)
    found = args_of(lambda x, out: launch(F, 1, 32, [x, out]), x=whole[:32], out=whole[32:])
    assert found == (Buffer("x", 0), Buffer("x", 128))


def test_tensors_that_the_answer_makes_become_scratch():
    def answer(x):
        first = torch.empty(5, 3, device=x.device)
        for _ in range(3):
            launch(F, 1, 32, [x, torch.empty_like(x)])
        launch(F, 1, 32, [first[1], x.new_empty(7, dtype=torch.uint8)])

    plan = record(answer, {"x": meta(4)})
    made = [arg for entry in plan.launches for arg in entry.args if arg.name != "x"]
    assert made == [
        Buffer("scratch0"),
        Buffer("scratch1"),
        Buffer("scratch2"),
        Buffer("scratch3", 12),
        Buffer("scratch4"),
    ]
    assert plan.scratch == {"scratch0": 16, "scratch1": 16, "scratch2": 16, "scratch3": 60, "scratch4": 7}
    assert plan.buffers() == {"x", *plan.scratch}


def test_numbers_become_the_c_type_that_the_kernel_declares():
    def answer(x, n):
        numbers = [n, True, 2.5, ctypes.c_int64(2**40), ctypes.c_uint32(7), ctypes.c_double(0.1)]
        launch(F, 1, 32, [x, *numbers])

    assert args_of(answer, x=meta(4), n=3)[1:] == (
        Scalar("i32", 3), Scalar("i32", 1), Scalar("f32", 2.5), Scalar("i64", 2**40), Scalar("u32", 7), Scalar("f64", 0.1)
    )  # fmt: skip


def test_constants_and_attributes_are_kept():
    def answer(x, taps):
        launch(
            F,
            (4, 2),
            (8, 4),
            [x],
            smem=1024,
            cluster=2,
            cooperative=True,
            pdl=True,
            constants={"taps": taps[1:]},
        )

    entry = record(answer, {"x": meta(4), "taps": meta(18)}).launches[0]
    assert (entry.grid, entry.block, entry.smem) == ((4, 2, 1), (8, 4, 1), 1024)
    assert (entry.cluster, entry.cooperative, entry.pdl) == ((2, 1, 1), True, True)
    assert entry.constants == {"taps": Constant("taps", 4, 68)}


def test_a_tensor_map_describes_the_view():
    def answer(x):
        launch(F, 1, 32, [tensor_map(x[2:, 4:36], (32, 128)), tensor_map(x[:1], (16, 1), swizzle=0)])

    assert args_of(answer, x=meta(100, 64)) == (
        MapArg("x", 528, "float32", (32, 98), (256,), (32, 128), 128),
        MapArg("x", 0, "float32", (64, 1), (256,), (16, 1), 0),
    )


REFUSED_MAPS = {
    "rows not 16 bytes apart": (
        lambda x: tensor_map(x[:, :3].as_strided((4, 3), (3, 1)), (4, 4)),
        "multiple of 16 bytes apart",
    ),
    "start not aligned": (lambda x: tensor_map(x[:, 1:], (4, 4)), "start at a multiple of 16"),
    "column-major": (lambda x: tensor_map(x.T, (4, 4)), "row-major"),
    "one dimension": (lambda x: tensor_map(x.view(-1), (4, 4)), "x.view"),
    "box too wide": (lambda x: tensor_map(x, (64, 4)), "at most 32 elements"),
    "box with half a chunk": (lambda x: tensor_map(x, (6, 4)), "widen the box"),
    "box too tall": (lambda x: tensor_map(x, (32, 512)), "1 to 256"),
    "swizzle": (lambda x: tensor_map(x, (32, 4), swizzle=100), "use 128"),
    "dtype": (lambda x: tensor_map(x.view(torch.bool), (32, 4)), "cannot hold 'bool'"),
}


@pytest.mark.parametrize(("call", "sentence"), REFUSED_MAPS.values(), ids=REFUSED_MAPS)
def test_a_tensor_map_that_no_gpu_could_use_is_refused(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(meta(100, 64))


REFUSED_LAUNCHES = {
    "mixed devices": (
        lambda x: launch(F, 1, 32, [x, torch.empty(3, device="cpu")]),
        ValueError,
        "device=x.device",
    ),
    "no tensor": (lambda x: launch(F, 1, 32, [3]), ValueError, "pass the output tensor"),
    "not a list": (lambda x: launch(F, 1, 32, x), TypeError, r"write \[x, out, n\]"),
    "a list in the list": (
        lambda x: launch(F, 1, 32, [x, [1]]),
        TypeError,
        "argument 1 of f is a list: pass",
    ),
    "none": (lambda x: launch(F, 1, 32, [x, None]), TypeError, "null pointer"),
    "a long integer": (lambda x: launch(F, 1, 32, [x, 2**31]), ValueError, r"ctypes.c_int64\(value\)"),
    "an infinite double for a float": (lambda x: launch(F, 1, 32, [x, 1e300]), ValueError, "c_double"),
    "a string for the kernel": (lambda x: launch("f", 1, 32, [x]), TypeError, "make a kernel first"),
    "grid from a division": (lambda x: launch(F, 5 / 2, 32, [x]), TypeError, "// instead of /"),
    "grid of four": (lambda x: launch(F, (1, 1, 1, 1), 32, [x]), ValueError, "one to three"),
    "empty grid": (lambda x: launch(F, 0, 32, [x]), ValueError, "return before the launch"),
    "block too large": (lambda x: launch(F, 1, 2048, [x]), ValueError, "1 to 1024"),
    "shared memory too large": (lambda x: launch(F, 1, 32, [x], smem=300_000), ValueError, "0 to 262144"),
    "constant not a tensor": (
        lambda x: launch(F, 1, 32, [x], constants={"taps": 3.0}),
        TypeError,
        "pass a tensor",
    ),
    "constant not contiguous": (
        lambda x: launch(F, 1, 32, [x], constants={"taps": x.T}),
        ValueError,
        "contiguous",
    ),
    "65 launches": (
        lambda x: [launch(F, 1, 32, [x]) for _ in range(65)],
        ValueError,
        "do more work per kernel",
    ),
}


@pytest.mark.parametrize(("answer", "error", "sentence"), REFUSED_LAUNCHES.values(), ids=REFUSED_LAUNCHES)
def test_a_launch_that_cannot_work_says_what_to_do(answer, error, sentence):
    with pytest.raises(error, match=sentence):
        record(answer, {"x": meta(8, 4)})


def test_an_unknown_kernel_name_lists_the_kernels_there_are():
    with pytest.raises(ValueError, match="no kernel called 'h': use f or g"):
        kernel(SOURCE, "h")
    with pytest.raises(ValueError, match="no kernel called 'in_a_comment'"):
        kernel(SOURCE, "in_a_comment")
    with pytest.raises(ValueError, match='extern "C" __global__ void'):
        kernel("int x;", "h")


@pytest.mark.parametrize(
    "compute",
    [
        lambda x: torch.zeros(3, device="meta"),
        lambda x: x + 1,
        lambda x: x.T.contiguous(),
        lambda x: x.zero_(),
        lambda x: x.sum(),
    ],
)
def test_torch_may_not_compute_while_recording(compute):
    with pytest.raises(PlanError, match="do the rest inside a kernel"):
        record(compute, {"x": meta(4, 4)})


def test_contiguous_of_a_contiguous_tensor_is_free():
    assert args_of(lambda x: launch(F, 1, 32, [x.contiguous().reshape(-1)]), x=meta(4, 4)) == (Buffer("x"),)


def test_exceptions_of_the_answer_pass_and_end_the_recording():
    def answer(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        record(answer, {"x": meta(4)})
    assert torch.zeros(2).sum() == 0
    record(lambda x: None, {"x": meta(4)})


def test_the_machine_inside_a_recording_is_the_one_that_was_named():
    with recording(multiprocessors=7, capability=(8, 6)):
        assert (multiprocessors(), compute_capability()) == (7, (8, 6))
    assert record(lambda: launch, {}, multiprocessors=1).launches == ()


def test_a_recorded_plan_survives_json():
    def answer(x, out):
        launch(F, 4, 64, [tensor_map(x, (32, 8)), out, 3, 0.1], constants={"taps": x[0, :17]})

    plan = record(answer, {"x": meta(16, 64), "out": meta(16)})
    assert from_json(to_json(plan)) == plan
