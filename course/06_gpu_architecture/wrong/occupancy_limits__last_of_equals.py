"""Names the last of several resources that tie, not the first."""

DIAGNOSIS = "mismatch"

EDITS = [("limiter = min(fit, key=fit.get)", "limiter = min(reversed(fit), key=fit.get)")]
