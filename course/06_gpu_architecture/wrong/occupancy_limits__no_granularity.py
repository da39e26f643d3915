"""Divides the registers of the SM by those of the block, as if they were handed out one by one."""

DIAGNOSIS = "mismatch"

EDITS = [
    (
        "warps_per_quarter = 65536 // 4 // round_up(32 * registers, 256)\n"
        '        fit["registers"] = 4 * warps_per_quarter // warps',
        'fit["registers"] = 65536 // (registers * threads)',
    )
]
