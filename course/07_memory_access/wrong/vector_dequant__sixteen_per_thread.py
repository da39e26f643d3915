"""Loads 16 bytes per thread and makes four wide stores: but those of a warp lie 64 bytes apart."""

DIAGNOSIS = "technique not used"

EDITS = [
    ("quads = (n + 3) // 4", "quads = (n + 15) // 16  # threads, sixteen bytes each"),
    (
        """  const long long first = 4 * quad;
  if (first + 4 <= n) {
    const uchar4 b = reinterpret_cast<const uchar4*>(q)[quad];
    // neighbouring lanes store neighbouring 16 bytes: a warp's store fills 512 bytes, 16 whole sectors
    reinterpret_cast<float4*>(out)[quad] =
        make_float4((b.x - zero) * scale, (b.y - zero) * scale, (b.z - zero) * scale, (b.w - zero) * scale);
""",
        """  const long long first = 16 * quad;
  if (first + 16 <= n) {
    const uint4 v = reinterpret_cast<const uint4*>(q)[quad];
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
    for (int k = 0; k < 4; ++k) {
      const unsigned b = words[k];
      reinterpret_cast<float4*>(out)[4 * quad + k] =
          make_float4(((b & 255) - zero) * scale, ((b >> 8 & 255) - zero) * scale,
                      ((b >> 16 & 255) - zero) * scale, ((b >> 24) - zero) * scale);
    }
""",
    ),
]
