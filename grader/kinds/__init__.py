"""One module per kind of exercise: how its answer is run and what proves it correct."""
