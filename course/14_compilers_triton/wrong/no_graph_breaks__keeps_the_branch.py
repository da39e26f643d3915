"""The original: the compiler gives the whole function up, and a count of breaks says that there are none."""

DIAGNOSIS = "technique not used"

EDITS = [
    (
        "x = torch.where(x.sum() > LIMIT, x + 1, x)",
        "if x.sum().item() > LIMIT:\n            x = x + 1",
    )
]
