# %% [markdown] lang="es" id="tiled_transpose"
# ## 7.3 Un tile que gira · `tiled_transpose`
#
# **Objetivo.** Hacer coalescentes los dos lados de una transposición girando un tile en la memoria
# compartida.
#
# **Tienes** `x`, una matriz `(M, N)` de `float32`, contigua y de cualquier tamaño. Hace falta `out`, de
# `(N, M)`, con `out[c][r] = x[r][c]`. La línea base usa bloques de 32 x 8 hilos: lee filas enteras y escribe
# a saltos de `M` palabras. El lanzamiento ya está escrito, con un bloque por cada tile de 32 x 32 palabras.
#
# **Escribes** (unas 14 líneas) el cuerpo del kernel: declarar el tile, llenarlo, esperar y vaciarlo girado.
# Por ahora no te preocupes por los bancos de la memoria compartida: son el tema del ejercicio siguiente.
#
# **Terminas cuando** el resultado es idéntico bit a bit para cualquier forma, las lecturas y las escrituras
# ocupan 4 sectores por cada 128 bytes y, en una GPU, recorres al menos 0,75 del camino (en escala
# logarítmica) entre la línea base y la solución.
#
# **Tiempo:** 30 minutos. **Sin resolver**, la comprobación responde «Aún no hay respuesta».

# %% [markdown] lang="en" id="tiled_transpose"
# ## 7.3 A tile that turns · `tiled_transpose`
#
# **Goal.** Make both sides of a transpose coalesced by turning a tile in shared memory.
#
# **Given:** `x`, a matrix `(M, N)` of `float32`, contiguous and of any size. What is wanted is `out`,
# `(N, M)`, with `out[c][r] = x[r][c]`. The baseline uses blocks of 32 x 8 threads: it reads whole rows and
# writes in jumps of `M` words. The launch is written already, with one block for each tile of 32 x 32 words.
#
# **You write** (about 14 lines) the body of the kernel: declare the tile, fill it, wait, and empty it turned.
# Do not worry about the banks of shared memory for now: they are the subject of the next exercise.
#
# **Done when** the result is identical bit for bit for any shape, the reads and the writes take 4 sectors for
# every 128 bytes and, on a GPU, you cover at least 0.75 of the way (on a logarithmic scale) from the baseline
# to the solution.
#
# **Time:** 30 minutes. **Unsolved**, the check answers “There is no answer yet”.

# %% role="answer" id="tiled_transpose"
import torch

from goodput.cuda import kernel, launch

SOURCE = include("tiled_transpose.cu")


def tiled_transpose(x, out):
    """out = transpose of x; x (M, N) float32, out (N, M) float32, both contiguous, in different memory."""
    if x.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"x and out must be float32, got {x.dtype} and {out.dtype}")
    if x.ndim != 2 or x.numel() == 0 or out.shape != (x.shape[1], x.shape[0]):
        raise ValueError(f"x must be (M, N) and out (N, M), got {tuple(x.shape)} and {tuple(out.shape)}")
    if not (x.is_contiguous() and out.is_contiguous()):
        raise ValueError("x and out must be contiguous")
    starts, ends = (x.data_ptr(), out.data_ptr()), (x.data_ptr() + x.nbytes, out.data_ptr() + out.nbytes)
    if max(starts) < min(ends) and not x.is_meta:  # meta tensors have no addresses
        raise ValueError("x and out overlap: a block would read what another has written already")
    M, N = x.shape
    grid = ((N + 31) // 32, (M + 31) // 32)
    launch(kernel(SOURCE, "tiled_transpose"), grid, (32, 8), [x, out, M, N])


# %% role="check" id="tiled_transpose" points="5+5"
check(tiled_transpose)

# %% [markdown] role="hint" lang="es"
# En la línea base, ¿qué lado no es coalescente, la lectura o la escritura?

# %% [markdown] role="hint" lang="en"
# In the baseline, which side is not coalesced, the read or the write?

# %% [markdown] role="hint" lang="es"
# La escritura: los 32 hilos de un warp escriben una columna de `out`. ¿Dónde podría un warp recorrer una
# columna sin pagar un sector por palabra? La memoria compartida es del bloque y no tiene sectores. Sección 4
# de la lección: fíjate en quién escribe cada palabra del tile y quién la lee.

# %% [markdown] role="hint" lang="en"
# The write: the 32 threads of a warp write a column of `out`. Where could a warp walk down a column without
# paying one sector per word? Shared memory belongs to the block and has no sectors. Section 4 of the lesson:
# look at who writes each word of the tile and who reads it.

# %% [markdown] role="hint" lang="es"
# Al llenar, `tile[ty + k][tx]` recibe la palabra de `x` en la fila `row0 + ty + k` y la columna
# `column0 + tx`. Al vaciar, `tx` tiene que avanzar a lo largo de una fila de `out`: ¿qué fila y qué columna
# de `out` le tocan entonces a `tile[tx][ty + k]`, y con qué límites, `M` o `N`, se compara cada una? Entre
# las dos mitades todos esperan a todos.

# %% [markdown] role="hint" lang="en"
# When filling, `tile[ty + k][tx]` receives the word of `x` in row `row0 + ty + k` and column `column0 + tx`.
# When emptying, `tx` must advance along a row of `out`: which row and which column of `out` then belong to
# `tile[tx][ty + k]`, and with which bound, `M` or `N`, is each of them compared? Between the two halves
# everyone waits for everyone.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** Una transposición no calcula nada: su límite es mover 8 bytes por palabra. En la línea
# base cada escritura de un warp toca 32 sectores para aprovechar 4 bytes de cada uno. El tile separa los dos
# recorridos: la memoria global se lee por filas de `x` y se escribe por filas de `out`, 4 sectores por
# petición en ambos lados, y el giro sucede dentro del chip. `__syncthreads()` hace falta porque cada hilo
# vacía palabras que trajeron otros warps.
#
# H200 (2026-11), 8192 x 16384: 2,160 ms la línea base y 0,610 ms este tile, 3,54 veces menos. La
# transposición de la biblioteca, `x.t().contiguous()`, es 2,30 veces más rápida. Todavía queda margen: el
# mismo tile con una columna de relleno es 7,01 veces más rápido. Qué cambia esa columna es el ejercicio
# siguiente.
#
# **Otra versión, sin memoria compartida:** `variants/tiled_transpose__registers.py`. Cada hilo lee cuatro
# `float4`, uno de cada una de cuatro filas, gira ese cuadrado de 4 x 4 en sus registros y escribe cuatro
# `float4`. Los hilos de un warp se reparten de forma que cada instrucción toque 16 sectores enteros, tanto al
# leer como al escribir: sin tile, sin barrera y sin bancos. A cambio exige que `M` y `N` sean múltiplos de 4;
# para las demás formas lanza un segundo kernel.

# %% [markdown] role="why" lang="en"
# **Why it works.** A transpose computes nothing: its limit is to move 8 bytes per word. In the baseline each
# write of a warp touches 32 sectors to use 4 bytes of each. The tile separates the two walks: global memory
# is read along rows of `x` and written along rows of `out`, 4 sectors per request on both sides, and the turn
# happens inside the chip. `__syncthreads()` is needed because every thread empties words that other warps
# brought.
#
# H200 (2026-11), 8192 x 16384: 2.160 ms for the baseline and 0.610 ms for this tile, 3.54 times less. The
# library's transpose, `x.t().contiguous()`, gains 2.30 times. More is left: the same tile with one column of
# padding gains 7.01 times. What that column changes is the next exercise.
#
# **Another version, without shared memory:** `variants/tiled_transpose__registers.py`. Each thread reads four
# `float4`, one from each of four rows, turns that square of 4 x 4 in its registers and writes four `float4`.
# The threads of a warp are arranged so that each instruction touches 16 whole sectors, reading as well as
# writing: no tile, no barrier, no banks. In exchange it demands that `M` and `N` be multiples of 4; for other
# shapes it launches a second kernel.
