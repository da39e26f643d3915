"""Moves the branch to a function that the compiler must leave alone: the error is gone, the break is not."""

DIAGNOSIS = "technique not used"

EDITS = [
    ("x = torch.where(x.sum() > LIMIT, x + 1, x)", "x = choose(x)"),
    (
        "def no_graph_breaks(x):",
        "@torch.compiler.disable\n"
        "def choose(x):\n"
        "    return x + 1 if x.sum().item() > LIMIT else x\n\n\n"
        "def no_graph_breaks(x):",
    ),
]
