"""Lets scalars into the graph by a global setting: one graph, which still waits for a number in every round."""

DIAGNOSIS = "technique not used"

EDITS = [
    (
        "x = torch.where(x.sum() > LIMIT, x + 1, x)",
        "x = torch.where(torch.full((), x.sum().item(), device=x.device) > LIMIT, x + 1, x)",
    ),
    ("LIMIT = 1000.0", "LIMIT = 1000.0\ntorch._dynamo.config.capture_scalar_outputs = True"),
    ("import torch\n", "import torch\nimport torch._dynamo\n"),
]
