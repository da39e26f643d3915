"""Subtracts the zero point in unsigned integers: it loses its fraction, and negative results become huge."""

DIAGNOSIS = "mismatch"

EDITS = [
    ("(b.x - zero) * scale", "(b.x - (unsigned)zero) * scale"),
    ("(b.y - zero) * scale", "(b.y - (unsigned)zero) * scale"),
    ("(b.z - zero) * scale", "(b.z - (unsigned)zero) * scale"),
    ("(b.w - zero) * scale", "(b.w - (unsigned)zero) * scale"),
    ("++i) out[i] = (q[i] - zero) * scale;", "++i) out[i] = (q[i] - (unsigned)zero) * scale;"),
]
