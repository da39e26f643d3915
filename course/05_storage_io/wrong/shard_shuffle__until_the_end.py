"""Stops where the file stops: an epoch over a truncated file is just shorter."""

DIAGNOSIS = "bad input accepted"

EDITS = [
    (
        '                    raise ValueError(f"{file.name} ends at byte {offset + len(data)}, before its samples do")\n',
        "                    continue\n",
    )
]
