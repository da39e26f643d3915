"""Packs groups of 32 records as planes, leaves the last group as records, and reads it as planes too."""

DIAGNOSIS = "wrong only at the tail"

EDITS = [
    (
        "return records.t().contiguous()  # (8, n): one plane per field",
        "whole = len(records) // 32 * 32\n"
        "    groups = records[:whole].reshape(-1, 32, 8).transpose(1, 2)\n"
        "    return torch.cat([groups.reshape(-1), records[whole:].reshape(-1)])",
    ),
    (
        "if (i < n) out[i] = 2.f * packed[i];",
        "if (i < n) out[i] = 2.f * packed[i / 32 * 256 + i % 32];",
    ),
]
