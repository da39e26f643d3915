"""The copy engine fills what lies outside with zeros, so the stores are not checked either."""

DIAGNOSIS = "out of bounds"
EDITS = [
    ("    if (r0 + r >= M) continue;\n", ""),
    ("    if (c < N) o[0] = v.x;\n", "    o[0] = v.x;\n"),
    ("    if (c + 1 < N) o[M] = v.y;\n", "    o[M] = v.y;\n"),
    ("    if (c + 2 < N) o[2 * (size_t)M] = v.z;\n", "    o[2 * (size_t)M] = v.z;\n"),
    ("    if (c + 3 < N) o[3 * (size_t)M] = v.w;\n", "    o[3 * (size_t)M] = v.w;\n"),
]
