"""Reads 16 bytes of each record to use 4: the access is wider, but a warp still touches 32 sectors."""

DIAGNOSIS = "technique not used"

EDITS = [
    ("return records.t().contiguous()  # (8, n): one plane per field", "return records"),
    (
        "if (i < n) out[i] = 2.f * packed[i];",
        "if (i < n) out[i] = 2.f * reinterpret_cast<const float4*>(packed)[2 * i].x;",
    ),
]
