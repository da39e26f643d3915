# %% [markdown] lang="es"
# # 07 · Patrones de acceso a la memoria: ejercicios
#
# Un kernel mueve 1 GB en 0,6 ms. ¿Es la memoria o es el código? Estos ejercicios recorren el camino que
# siguen los datos de un bloque de la caché KV al generar texto: leerlo, descuantizarlo, transponerlo y
# reducirlo. En cada uno cambias una sola cosa y ves el recuento que la delata: sectores por petición, ancho de
# los accesos, *wavefronts* de la memoria compartida, instrucciones.
#
# Cada ejercicio define una función y, casi siempre, un texto `SOURCE` con CUDA C++. Escribe donde dice
# `YOUR CODE HERE`, ejecuta la celda y después la de comprobación. Sin GPU, un emulador ejecuta tu kernel en
# la CPU y cuenta los accesos; solo la velocidad queda sin medir. Si te atascas, `hint(coalesced_copy)` da la
# primera pista y, cada vez que la pidas, la siguiente.

# %% [markdown] lang="en"
# # 07 · Memory access patterns: exercises
#
# A kernel moves 1 GB in 0.6 ms. Is it the memory or the code? These exercises follow the path that the data
# of a block of the KV cache take while text is generated: read it, dequantise it, transpose it and reduce it.
# In each one you change a single thing and see the count that gives it away: sectors per request, width of
# the accesses, *wavefronts* of shared memory, instructions.
#
# Each exercise defines a function and, nearly always, a text `SOURCE` with CUDA C++. Write where it says
# `YOUR CODE HERE`, run the cell and then the check cell. Without a GPU an emulator runs your kernel on the
# CPU and counts the accesses; only speed stays unmeasured. If you get stuck, `hint(coalesced_copy)` gives the
# first hint and, each time you ask, the next one.

# %%
from grader.notebook import check, hint

# %% include="coalesced_copy.py"

# %% include="vector_dequant.py"

# %% include="tiled_transpose.py"

# %% include="conflict_free_tile.py"

# %% include="warp_row_reduce.py"

# %% include="async_row_ring.py"

# %% [markdown] lang="es"
# # Para ir más lejos
#
# Los ejercicios que siguen son opcionales.

# %% [markdown] lang="en"
# # Going further
#
# The exercises that follow are optional.

# %% include="const_taps_fir.py"

# %% include="tma_transpose.py"
