# %% [markdown] lang="es"
# # 05 · Optimización de E/S de almacenamiento: ejercicios
#
# La GPU nueva es el doble de rápida y la época tarda lo mismo que antes. Lo que falta está en el disco, y lo que tarda
# en llegar depende más del número de lecturas que de cuánto lees.
#
# Cada ejercicio define una o dos funciones. Escribe donde dice `YOUR CODE HERE`, ejecuta la celda y después la de
# comprobación. Aquí los archivos son de verdad, y lo que se cuenta son las llamadas y los bytes que ve el sistema
# operativo; el reloj no decide nada. Si te atascas, `hint(shard_shuffle)` da la primera pista y, cada vez que la
# pidas, la siguiente.

# %% [markdown] lang="en"
# # 05 · Storage I/O optimisation: exercises
#
# The new GPU is twice as fast and the epoch takes as long as before. What is missing is on the disk, and how long it
# takes to arrive is decided less by how much you read than by how many reads it takes.
#
# Each exercise defines one or two functions. Write where it says `YOUR CODE HERE`, run the cell and then the check
# cell. Here the files are real, and what is counted is the calls and bytes that the operating system sees; the
# clock decides nothing. If you get stuck, `hint(shard_shuffle)` gives the first hint and, each time you ask, the
# next one.

# %%
from grader.notebook import check, hint

# %% include="shard_shuffle.py"
