"""The workbench: everything that produces a number or a workload. It knows nothing of grading."""
