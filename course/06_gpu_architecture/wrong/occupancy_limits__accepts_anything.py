"""Computes on arguments that no kernel has."""

DIAGNOSIS = "bad input accepted"

EDITS = [("if not 1 <= threads <= 1024 or not 0 <= registers <= 255 or shared_bytes < 0:", "if threads < 1:")]
