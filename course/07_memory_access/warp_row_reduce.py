# %% [markdown] lang="es" id="warp_row_reduce"
# ## 7.5 Reducir sin salir de los registros · `warp_row_reduce`
#
# **Objetivo.** Reducir una fila con los registros de un warp, sin memoria compartida y sin barreras.
#
# **Tienes.** `x`, una matriz `(R, C)` de `float32`. De cada fila hacen falta dos cosas: `total`, la suma, y `best`, la
# columna del máximo como `int32`. En caso de empate gana la columna más baja y `NaN` cuenta como el mayor de todos, igual
# que en torch. La línea base da a cada fila un bloque de 256 hilos que se reúnen en memoria compartida, con una barrera en
# cada uno de los ocho niveles del árbol. Aquí el lanzamiento da a cada fila un warp; el orden entre candidatos (`beats`), lo
# que hace un hilo con un elemento (`take`) y la parte de la fila que admite lecturas de 16 bytes (`head`, `quads`) ya están
# escritos.
#
# **Escribes** (unas 20 líneas) el recorrido de los 32 hilos por la fila, con lecturas de 16 bytes, la combinación de sus
# resultados con *shuffles* y las dos escrituras.
#
# **Terminas cuando** las sumas son correctas y las columnas exactas para cualquier `C`; el código máquina contiene `SHFL` y
# no contiene `BAR.SYNC`, `LDS` ni `STS`; y, en una GPU, recorres al menos 0,65 del camino (en escala logarítmica) entre la
# línea base y la solución.
#
# **Tiempo:** 30 minutos. **Sin resolver**, la comprobación responde que aún no hay respuesta.

# %% [markdown] lang="en" id="warp_row_reduce"
# ## 7.5 Reducing without leaving the registers · `warp_row_reduce`
#
# **Goal.** Reduce a row in the registers of one warp, with no shared memory and no barrier.
#
# **Given.** `x`, an `(R, C)` matrix of `float32`. Two things are wanted of each row: `total`, its sum, and `best`, the column
# of its maximum as `int32`. The lowest column wins a tie, and `NaN` counts as the largest of all, as in torch. The baseline
# gives each row a block of 256 threads that meet in shared memory, with a barrier at each of the eight levels of the tree.
# Here the launch gives each row one warp; the order between candidates (`beats`), what a thread does with one element
# (`take`) and the part of the row that allows 16-byte loads (`head`, `quads`) are written already.
#
# **You write** (about 20 lines) the walk of the 32 threads over the row, with 16-byte loads, the meeting of their results by
# *shuffles*, and the two stores.
#
# **Done when** the sums are right and the columns exact for any `C`; the machine code has `SHFL` and has no `BAR.SYNC`, `LDS`
# or `STS`; and, on a GPU, you cover at least 0.65 of the way (on a logarithmic scale) from the baseline to the solution.
#
# **Time:** 30 minutes. **Unsolved**, the check answers that there is no answer yet.

# %% role="answer" id="warp_row_reduce"
import torch

from goodput.cuda import kernel, launch

SOURCE = include("warp_row_reduce.cu")


def warp_row_reduce(x, total, best):
    """total[r] = sum of row r, best[r] = column of its maximum; x (R, C) float32, total (R) float32, best (R) int32."""
    dtypes = (x.dtype, total.dtype, best.dtype)
    if dtypes != (torch.float32, torch.float32, torch.int32):
        raise TypeError(f"x and total must be float32 and best int32, got {dtypes}")
    if x.dim() != 2 or x.shape[1] == 0 or not total.shape == best.shape == x.shape[:1]:
        shapes = [tuple(t.shape) for t in (x, total, best)]
        raise ValueError(f"x must be (R, C) with C > 0, total and best (R), got {shapes}")
    if not all(t.is_contiguous() for t in (x, total, best)):
        raise ValueError("x, total and best must be contiguous")
    rows, columns = x.shape
    if rows == 0:
        return
    # 8 warps in a block, one row each
    launch(kernel(SOURCE, "warp_row_reduce"), (rows + 7) // 8, 256, [x, total, best, rows, columns])


# %% role="check" id="warp_row_reduce" points="5+4"
check(warp_row_reduce)

# %% [markdown] role="hint" lang="es"
# En la línea base, un hilo escribe su suma parcial en memoria compartida para que otro la lea. ¿Quién tiene ya ese valor, y
# dónde?

# %% [markdown] role="hint" lang="en"
# In the baseline, a thread writes its partial sum to shared memory so that another can read it. Who already has that value,
# and where?

# %% [markdown] role="hint" lang="es"
# Está en un registro del mismo warp, y un *shuffle* lee el registro de otro hilo del warp sin pasar por memoria y sin más
# sincronización que su propia máscara. Si en cada paso cada hilo combina lo suyo con lo del hilo que está a distancia
# `offset`, con `offset` igual a 16, 8, 4, 2 y 1, ¿tras cuántos pasos sabe el hilo 0 lo de los 32? Y con el máximo, ¿qué más
# tiene que viajar? Sección 6 de la lección.

# %% [markdown] role="hint" lang="en"
# It is in a register of the same warp, and a *shuffle* reads the register of another thread of the warp without passing
# through memory and with no more synchronisation than its own mask. If at each step every thread combines its own with that
# of the thread `offset` away, with `offset` equal to 16, 8, 4, 2 and 1, after how many steps does thread 0 know about all 32?
# And with the maximum, what else has to travel? Section 6 of the lesson.

# %% [markdown] role="hint" lang="es"
# Son tres tramos: `take(p[lane], lane)` para los primeros `head` elementos, un bucle que lee el `float4` número `lane`,
# `lane + 32`, ... y llama cuatro veces a `take`, y los que quedan, menos de cuatro. Después, cinco vueltas: la suma se
# actualiza con `sum += __shfl_xor_sync(0xffffffffu, sum, offset)`; del candidato se traen valor y columna con dos *shuffles*
# y se queda si `beats` lo dice. Los 32 hilos tienen que llegar a los *shuffles*, también los que no leyeron nada.

# %% [markdown] role="hint" lang="en"
# There are three stretches: `take(p[lane], lane)` for the first `head` elements, a loop that loads the `float4` number
# `lane`, `lane + 32`, ... and calls `take` four times, and the fewer than four that are left. Then five rounds: the sum is
# updated by `sum += __shfl_xor_sync(0xffffffffu, sum, offset)`; value and column of the candidate are fetched by two
# *shuffles*, and it stays if `beats` says so. All 32 threads must reach the *shuffles*, also those that loaded nothing.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** El árbol en memoria compartida paga, por fila, una escritura, ocho niveles de lecturas y escrituras y
# nueve barreras en las que 256 hilos esperan al más lento, mientras no hay ninguna lectura de la fila siguiente en camino.
# Con un warp por fila, la combinación son cinco pasos de registro a registro; los warps no se esperan entre sí, y mientras unos
# reducen otros ya leen. A eso se suman las lecturas de 16 bytes: cuatro veces más bytes en vuelo por instrucción.
#
# H200 (2026-11), solo la suma, 262 144 filas de 1024: 0,360 ms con el árbol y 0,236 ms con un warp por fila, 1,52 veces
# menos. Son 4542 GB/s, 1,07 veces la velocidad de copia, y no es un error: este kernel casi solo lee, y una memoria que no
# alterna lecturas y escrituras rinde más. El techo hay que medirlo con la misma mezcla.
#
# **El detalle que decide la exactitud.** Con el máximo viaja su columna, y los empates se deciden en dos sitios: dentro de un
# hilo, porque recorre sus columnas en orden y un valor igual no desplaza al anterior; entre hilos, porque `beats` compara
# también la columna. Empezar en `-inf` con columna 0 no es un truco: si nada lo supera, la fila entera vale `-inf` y la
# respuesta es 0.
#
# **Otra versión**, `variants/warp_row_reduce__loads_first.py`, pide ocho lecturas de 16 bytes antes de usar la primera y
# lleva cuatro cadenas independientes, una por palabra del `float4`. Gasta más registros y deja menos warps residentes: mide
# en tu GPU si compensa.

# %% [markdown] role="why" lang="en"
# **Why it works.** The tree in shared memory pays, per row, one store, eight levels of loads and stores and nine barriers at
# which 256 threads wait for the slowest, while no load of the next row is under way. With one warp per row the meeting is
# five steps from register to register; warps do not wait for each other, and while some reduce, others already load. The
# 16-byte loads add to that: four times as many bytes in flight per instruction.
#
# H200 (2026-11), the sum alone, 262,144 rows of 1024: 0.360 ms with the tree and 0.236 ms with one warp per row, 1.52 times
# less. That is 4542 GB/s, 1.07 times the copy speed, and it is no mistake: this kernel does almost nothing but read, and a
# memory that does not alternate reads and writes does better. A ceiling must be measured with the same mix.
#
# **The detail that decides exactness.** The column travels with the maximum, and ties are decided in two places: within a
# thread, because it walks its columns in order and an equal value does not displace an earlier one; between threads, because
# `beats` compares the column as well. To start from `-inf` at column 0 is no trick: if nothing beats it, the whole row is
# `-inf` and the answer is 0.
#
# **Another version**, `variants/warp_row_reduce__loads_first.py`, asks for eight 16-byte loads before it uses the first and
# keeps four independent chains, one per word of the `float4`. It takes more registers and leaves fewer warps resident:
# measure on your GPU whether that pays.
