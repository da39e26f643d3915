# %% [markdown] lang="es" id="tma_transpose"
# ## 7.8 El motor de copia y su swizzle · `tma_transpose`
#
# **Objetivo.** Dejar que el motor de copia traiga un tile con *swizzle* y deshacerlo al leer.
#
# **Tienes.** `x`, una matriz `(M, N)` de `float32` con `N` múltiplo de 4 (de una fila a la siguiente hay un múltiplo de 16
# bytes), y `out`, `(N, M)`. Cada bloque de 256 hilos se encarga de una caja de 32 columnas por 128 filas de `x`. El
# lanzamiento ya está escrito y pasa un mapa del tensor: con él, una sola instrucción trae la caja entera a memoria
# compartida y deja el trozo `c` de 16 bytes de la fila `r` en el lugar `c ^ (r & 7)` de esa fila; lo que cae fuera de `x`
# llega como ceros. `goodput/primitives.cuh` trae `mbar_init`, `mbar_init_fence`, `mbar_expect_tx`, `mbar_wait` y
# `tma_load_2d`. La línea base es el tile con relleno de `conflict_free_tile`; se muestra, pero no decide.
#
# **Escribes** (unas 24 líneas) el cuerpo del kernel: preparar el *mbarrier*, pedir la caja, esperarla, leerla por trozos de 16
# bytes y escribir las columnas como filas de `out`.
#
# **Terminas cuando** `out` es igual bit a bit a la transpuesta para cualquier `M`; el código máquina contiene `UTMALDG` y
# `SYNCS` y no contiene `LDG`; y, en una GPU, los bytes que mueves alcanzan 0,75 de la velocidad de copia medida en la misma
# sesión.
#
# **Tiempo:** 50 minutos. Necesita Hopper o posterior para medirse. **Sin resolver**, la comprobación responde que aún no hay
# respuesta.

# %% [markdown] lang="en" id="tma_transpose"
# ## 7.8 The copy engine and its swizzle · `tma_transpose`
#
# **Goal.** Let the copy engine fetch a tile with a *swizzle*, and undo it when you read the tile.
#
# **Given.** `x`, an `(M, N)` matrix of `float32` with `N` a multiple of 4 (rows lie a multiple of 16 bytes apart), and `out`,
# `(N, M)`. Each block of 256 threads takes a box of 32 columns by 128 rows of `x`. The launch is written already and passes a
# tensor map: with it, a single instruction fetches the whole box to shared memory and puts the 16-byte chunk `c` of row `r`
# in place `c ^ (r & 7)` of that row; what lies outside `x` arrives as zeros. `goodput/primitives.cuh` brings `mbar_init`,
# `mbar_init_fence`, `mbar_expect_tx`, `mbar_wait` and `tma_load_2d`. The baseline is the padded tile of
# `conflict_free_tile`; it is shown, but does not decide.
#
# **You write** (about 24 lines) the body of the kernel: set up the *mbarrier*, ask for the box, wait for it, read it in chunks
# of 16 bytes and write the columns as rows of `out`.
#
# **Done when** `out` equals the transpose bit for bit for any `M`; the machine code has `UTMALDG` and `SYNCS` and has no
# `LDG`; and, on a GPU, the bytes you move reach 0.75 of the copy speed measured in the same session.
#
# **Time:** 50 minutes. It needs Hopper or later to be measured. **Unsolved**, the check answers that there is no answer yet.

# %% role="answer" id="tma_transpose"
import torch

from goodput.cuda import kernel, launch, tensor_map

SOURCE = include("tma_transpose.cu")


def tma_transpose(x, out):
    """out = x.T, bit for bit; x (M, N) float32 with N % 4 == 0, out (N, M) float32."""
    if x.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"x and out must be float32, got {x.dtype} and {out.dtype}")
    if x.dim() != 2 or x.numel() == 0 or not x.is_contiguous():
        raise ValueError(f"x must be a contiguous (M, N) with elements, got {tuple(x.shape)}")
    M, N = x.shape
    if N % 4:
        raise ValueError(f"N must be a multiple of 4 (rows of 16 bytes), got {N}")
    if out.shape != (N, M) or not out.is_contiguous():
        raise ValueError(f"out must be a contiguous ({N}, {M}), got {tuple(out.shape)}")
    grid = ((N + 31) // 32, (M + 127) // 128)
    launch(kernel(SOURCE, "tma_transpose"), grid, 256, [tensor_map(x, box=(32, 128), swizzle=128), out, M, N])


# %% role="check" id="tma_transpose" points="6+2"
check(tma_transpose)

# %% [markdown] role="hint" lang="es"
# ¿Quién avisa de que la caja ha llegado, y en qué unidad cuenta?

# %% [markdown] role="hint" lang="en"
# Who signals that the box has arrived, and in which unit does it count?

# %% [markdown] role="hint" lang="es"
# Un *mbarrier* completa su fase cuando han llegado los hilos que espera y los bytes que se le anunciaron; la caja ocupa
# siempre 128 filas de 128 bytes, aunque parte caiga fuera de `x`. Hay que prepararlo antes de que nadie lo use: ¿qué orden
# hace falta entre el hilo que lo prepara, el motor de copia y los demás hilos? Después, dibuja las filas 0 a 7 del tile:
# ¿dónde cae el trozo `c` de 16 bytes de la fila `r`? ¿Y qué filas de la caja quedan fuera de la matriz? Sección 8 de la
# lección.

# %% [markdown] role="hint" lang="en"
# An *mbarrier* completes its phase when the threads it expects and the bytes that were announced to it have arrived; the box
# always takes 128 rows of 128 bytes, even if part of it lies outside `x`. It must be set up before anyone uses it: what order
# is needed between the thread that sets it up, the copy engine and the other threads? Then draw rows 0 to 7 of the tile:
# where does the 16-byte chunk `c` of row `r` land? And which rows of the box lie outside the matrix? Section 8 of the lesson.

# %% [markdown] role="hint" lang="es"
# El hilo 0: `mbar_init(&arrived, 1)`, `mbar_init_fence()`; una barrera del bloque; el hilo 0: `mbar_expect_tx` con los bytes
# de la caja y `tma_load_2d(tile, &map, c0, r0, &arrived)`; todos: `mbar_wait(&arrived, 0)`. Luego cada warp toma un trozo y
# sus 32 hilos, 32 filas vecinas: `tile[r * CHUNKS + (chunk ^ (r & 7))]` son cuatro columnas de la fila `r`, y cada una va a
# una fila distinta de `out`. Comprueba `r0 + r` contra `M` y cada columna contra `N`.

# %% [markdown] role="hint" lang="en"
# Thread 0: `mbar_init(&arrived, 1)`, `mbar_init_fence()`; a barrier of the block; thread 0: `mbar_expect_tx` with the bytes of
# the box and `tma_load_2d(tile, &map, c0, r0, &arrived)`; everyone: `mbar_wait(&arrived, 0)`. Then each warp takes one chunk
# and its 32 threads take 32 neighbouring rows: `tile[r * CHUNKS + (chunk ^ (r & 7))]` is four columns of row `r`, and each
# goes to another row of `out`. Check `r0 + r` against `M` and every column against `N`.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** En el tile con relleno, 256 hilos calculan direcciones, leen a registros y escriben en memoria
# compartida. Aquí un hilo entrega el mapa y dos coordenadas; el motor de copia calcula direcciones y bordes y trae 16 KiB
# sin ocupar registros. Como no puede dejar huecos, evita los conflictos de bancos de otra manera: los trozos de 16 bytes de
# cada fila se permutan con `c ^ (r & 7)`. Una columna de trozos, que sin *swizzle* caería siempre en los mismos cuatro
# bancos, recorre los 32 en ocho filas. Leer `float4` con la misma fórmula deshace la permutación.
#
# El *mbarrier* cuenta bytes, no elementos, y siempre los de la caja completa: los ceros de fuera también llegan. Escribir, en
# cambio, es cosa tuya, y ahí los bordes no los vigila nadie más.
#
# H200 (2026-11), `(8192, 16384)`: 0,285 ms, 0,89 de la velocidad de copia; el tile con relleno, 0,308 ms. Ser 1,08 veces más
# rápido es demasiado poco para decidir por comparación: por eso se puntúa contra la velocidad de copia.
#
# **Para acercarse más**, `variants/tma_transpose__wide_stores.py` da a cada hilo un cuadrado de cuatro filas por cuatro
# columnas, termina el giro en registros y escribe 16 bytes por acceso; el reparto de hilos está elegido para que ni las
# lecturas tengan conflictos ni las escrituras dejen líneas de 128 bytes a medias. `variants/tma_transpose__square_waves.py`
# cambia además el orden de los bloques: los que se ejecutan a la vez cubren una zona casi cuadrada, con trozos de fila largos
# a los dos lados.

# %% [markdown] role="why" lang="en"
# **Why it works.** In the padded tile, 256 threads compute addresses, load to registers and store to shared memory. Here one
# thread hands over the map and two coordinates; the copy engine computes addresses and borders and fetches 16 KiB without
# using registers. As it cannot leave gaps, it avoids bank conflicts in another way: the 16-byte chunks of each row are
# permuted by `c ^ (r & 7)`. A column of chunks, which without a *swizzle* would always fall into the same four banks, runs
# through all 32 in eight rows. Reading `float4` by the same formula undoes it.
#
# The *mbarrier* counts bytes, not elements, and always those of the whole box: the zeros from outside arrive too. Writing, on
# the other hand, is your job, and nobody else watches the borders there.
#
# H200 (2026-11), `(8192, 16384)`: 0.285 ms, 0.89 of the copy speed; the padded tile, 0.308 ms. A gain of 1.08 times is too
# little to decide by comparison: that is why points are given against the copy speed.
#
# **To come closer**, `variants/tma_transpose__wide_stores.py` gives each thread a square of four rows by four columns,
# finishes the turn in registers and writes 16 bytes per access; the threads are dealt so that neither the loads conflict nor
# the stores leave 128-byte lines half written. `variants/tma_transpose__square_waves.py` also changes the order of the blocks:
# those that run at the same time cover an almost square area, with long pieces of rows on both sides.
