"""Rounds up what a warp takes, but lets warps straddle the four quarters of the register file."""

DIAGNOSIS = "mismatch"

EDITS = [
    (
        "warps_per_quarter = 65536 // 4 // round_up(32 * registers, 256)\n"
        '        fit["registers"] = 4 * warps_per_quarter // warps',
        'fit["registers"] = 65536 // round_up(32 * registers, 256) // warps',
    )
]
