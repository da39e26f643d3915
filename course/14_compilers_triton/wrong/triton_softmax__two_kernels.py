"""Writes the exponentials with one kernel and divides them with another: twice the traffic."""

DIAGNOSIS = "technique not used"

EDITS = [
    (
        "def triton_softmax(x, out):",
        "@triton.jit\n"
        "def divide_row(out, n, BLOCK: tl.constexpr):\n"
        "    row = tl.program_id(0).to(tl.int64)\n"
        "    column = tl.arange(0, BLOCK)\n"
        "    value = tl.load(out + row * n + column, mask=column < n, other=0.0)\n"
        "    tl.store(out + row * n + column, value / tl.sum(value, 0), mask=column < n)\n\n\n"
        "def triton_softmax(x, out):",
    ),
    ("value / tl.sum(value, 0), mask=inside)", "value, mask=inside)"),
    (
        "n, BLOCK=block, num_warps=8)",
        "n, BLOCK=block, num_warps=8)\n    divide_row[(rows,)](out, n, BLOCK=block, num_warps=8)",
    ),
]
