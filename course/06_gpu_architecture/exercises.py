# %% [markdown] lang="es"
# # 06 · Arquitectura de GPU, programación en CUDA y ocupación: ejercicios
#
# El profiler dice que la GPU está ocupada al 100 %. ¿A qué distancia está del límite? Para saberlo hay que
# saber primero qué hay dentro de un multiprocesador y cómo se reparte entre los bloques de un kernel.
#
# Cada ejercicio define una función. Escribe donde dice `YOUR CODE HERE`, ejecuta la celda y después la de
# comprobación. Si te atascas, `hint(occupancy_limits)` da la primera pista y, cada vez que la pidas, la
# siguiente.

# %% [markdown] lang="en"
# # 06 · GPU architecture, CUDA programming and occupancy: exercises
#
# The profiler says that the GPU is 100% busy. How far from the limit is it? To find out you first have to
# know what is inside a multiprocessor and how it is shared out among the blocks of a kernel.
#
# Each exercise defines a function. Write where it says `YOUR CODE HERE`, run the cell and then the check
# cell. If you get stuck, `hint(occupancy_limits)` gives the first hint and, each time you ask, the next one.

# %%
from grader.notebook import check, hint

# %% include="occupancy_limits.py"
