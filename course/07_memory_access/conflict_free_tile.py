# %% [markdown] lang="es" id="conflict_free_tile"
# ## 7.4 ¿En qué banco vive cada palabra? · `conflict_free_tile`
#
# **Objetivo.** Ver en qué banco de la memoria compartida vive cada palabra del tile, y moverla.
#
# **Tienes** la misma tarea que en `tiled_transpose`, con las mismas formas. La línea base es ya aquel tile de
# 32 x 32: correcto, coalescente por los dos lados, y con 32 *wavefronts* por cada lectura de la memoria
# compartida.
#
# **Escribes** (unas 14 líneas; casi todas las tienes) el cuerpo del kernel. Empieza pegando aquí el de
# `tiled_transpose` y cambia una sola cosa: dónde se guarda cada palabra dentro del tile.
#
# **Terminas cuando** el resultado es idéntico bit a bit, las lecturas y las escrituras de la memoria
# compartida necesitan 1 *wavefront* por petición, las de la memoria global siguen en 4 sectores por cada 128
# bytes y, en una GPU, recorres al menos 0,7 del camino (en escala logarítmica) entre la línea base y la
# solución.
#
# **Tiempo:** 20 minutos. **Sin resolver**, la comprobación responde «Aún no hay respuesta»; con el cuerpo
# anterior sin cambios dice cuántos *wavefronts* cuenta.

# %% [markdown] lang="en" id="conflict_free_tile"
# ## 7.4 In which bank does each word live? · `conflict_free_tile`
#
# **Goal.** See in which bank of shared memory each word of the tile lives, and move it.
#
# **Given:** the same task as in `tiled_transpose`, with the same shapes. The baseline is already that tile of
# 32 x 32: correct, coalesced on both sides, and with 32 *wavefronts* for every read of shared memory.
#
# **You write** (about 14 lines; you have almost all of them) the body of the kernel. Start by pasting the one
# of `tiled_transpose` here and change a single thing: where each word is kept inside the tile.
#
# **Done when** the result is identical bit for bit, reads and writes of shared memory need 1 *wavefront* per
# request, those of global memory stay at 4 sectors for every 128 bytes and, on a GPU, you cover at least 0.7
# of the way (on a logarithmic scale) from the baseline to the solution.
#
# **Time:** 20 minutes. **Unsolved**, the check answers “There is no answer yet”; with the earlier body
# unchanged it says how many *wavefronts* it counts.

# %% role="answer" id="conflict_free_tile"
import torch

from goodput.cuda import kernel, launch

SOURCE = include("conflict_free_tile.cu")


def conflict_free_tile(x, out):
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
    launch(kernel(SOURCE, "conflict_free_tile"), grid, (32, 8), [x, out, M, N])


# %% role="check" id="conflict_free_tile" points="5+3"
check(conflict_free_tile)

# %% [markdown] role="hint" lang="es"
# ¿En qué banco está `tile[r][c]`?

# %% [markdown] role="hint" lang="en"
# In which bank is `tile[r][c]`?

# %% [markdown] role="hint" lang="es"
# La palabra `w` de la memoria compartida está en el banco `w % 32`, así que con filas de 32 palabras
# `tile[r][c]` está en el banco `c`, sea cual sea `r`. ¿Qué filas y qué columna toca un warp cuando vacía el
# tile? La sección 5 de la lección dibuja los 32 bancos.

# %% [markdown] role="hint" lang="en"
# Word `w` of shared memory is in bank `w % 32`, so with rows of 32 words `tile[r][c]` is in bank `c`,
# whatever `r` is. Which rows and which column does a warp touch when it empties the tile? Section 5 of the
# lesson draws the 32 banks.

# %% [markdown] role="hint" lang="es"
# ¿Qué cambia si cada fila empieza una palabra más tarde, es decir, si entre `tile[r][c]` y `tile[r + 1][c]`
# no hay 32 palabras sino otra cantidad? Busca una que no comparta divisores con 32. ¿Y bastaría con 34?

# %% [markdown] role="hint" lang="en"
# What changes if every row starts one word later, that is, if `tile[r][c]` and `tile[r + 1][c]` are not 32
# words apart but some other number? Look for one that shares no divisor with 32. And would 34 do?

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** La memoria compartida tiene 32 bancos y cada uno entrega una palabra por ciclo. Con
# filas de 32 palabras, una columna entera cae en un solo banco y la petición se parte en 32 *wavefronts*. Con
# filas de 33, `tile[r][c]` está en el banco `(r + c) % 32`: las filas siguen usando los 32 bancos y las
# columnas también. Cuesta 128 bytes de relleno por tile. Dos palabras de relleno dejan 2 *wavefronts*, porque
# 34 y 32 comparten el divisor 2; una fila de más no cambia nada, porque la distancia entre filas sigue siendo
# 32.
#
# H200 (2026-11), 8192 x 16384: 0,610 ms sin relleno y 0,308 ms con él, 1,98 veces menos y 0,82 de la
# velocidad de copia. Si solo se mide la lectura de columnas, la diferencia es de 18,0 veces; aquí la memoria
# global esconde el resto.
#
# **Igual de bueno y sin gastar memoria:** `variants/conflict_free_tile__swizzle.py` guarda la palabra
# `(r, c)` en la posición `c ^ r` de su fila. Para `r` fija es una permutación de los bancos, y para `c` fija
# también. De forma parecida, pero en trozos de 16 bytes, ordena los tiles el motor de copia (TMA), que no
# admite relleno.
#
# **Para acercarse a la velocidad de copia:** `variants/conflict_free_tile__sixteen_in_flight.py`, con un tile
# de 64 x 64 y 16 palabras por hilo. Todas las lecturas salen antes de guardar la primera palabra, de modo que
# cada warp tiene cuatro veces más bytes en camino. Mídela junto a la tuya.

# %% [markdown] role="why" lang="en"
# **Why it works.** Shared memory has 32 banks, and each delivers one word per cycle. With rows of 32 words a
# whole column falls into a single bank and the request splits into 32 *wavefronts*. With rows of 33,
# `tile[r][c]` is in bank `(r + c) % 32`: rows still use all 32 banks, and so do columns. It costs 128 bytes
# of padding per tile. Two words of padding leave 2 *wavefronts*, because 34 and 32 share the divisor 2; one
# more row changes nothing, because rows are still 32 words apart.
#
# H200 (2026-11), 8192 x 16384: 0.610 ms without padding and 0.308 ms with it, 1.98 times less and 0.82 of the
# copy speed. If only the read of columns is measured, the difference is 18.0 times; here global memory hides
# the rest.
#
# **Just as good and without spending memory:** `variants/conflict_free_tile__swizzle.py` keeps word `(r, c)`
# at place `c ^ r` of its row. For a fixed `r` that is a permutation of the banks, and for a fixed `c` as
# well. In a similar way, but in chunks of 16 bytes, the copy engine (TMA), which allows no padding, arranges
# its tiles.
#
# **To get closer to the copy speed:** `variants/conflict_free_tile__sixteen_in_flight.py`, with a tile of 64
# x 64 and 16 words per thread. All reads leave before the first word is kept, so that every warp has four
# times as many bytes under way. Measure it beside yours.
