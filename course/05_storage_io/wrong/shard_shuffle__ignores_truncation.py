"""Does not compare what came with what it asked for: a file without its end gives short and empty samples."""

DIAGNOSIS = "bad input accepted"

EDITS = [("if len(data) < sum(lengths):", "if False:")]
