"""What works on the repository itself. Imports neither goodput, grader nor course, and no torch."""
