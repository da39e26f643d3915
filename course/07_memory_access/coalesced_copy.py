# %% [markdown] lang="es" id="coalesced_copy"
# ## 7.1 La disposición de los datos · `coalesced_copy`
#
# **Objetivo.** Elegir una disposición en memoria con la que las 32 lecturas de un warp llenen 4 sectores en
# lugar de tocar 32.
#
# **Tienes** `records`: `n` estructuras de 8 números `float32`, es decir, de 32 bytes cada una. Hace falta
# `out[i] = 2 * records[i][0]`; los otros siete campos no se usan. La línea base lee las estructuras tal como
# llegan, un hilo por estructura.
#
# **Escribes** (unas 2 líneas) el cuerpo de `coalesced_copy_pack`, una función de torch que no se cronometra y
# que devuelve los mismos bytes en el orden que quieras, y el cuerpo del kernel, que recibe ese resultado.
# `coalesced_copy_pack` solo mueve palabras de 4 bytes: no añade, no quita, no calcula.
#
# **Terminas cuando** el resultado es exacto para cualquier `n`, tus lecturas ocupan como mucho 4,5 sectores
# por cada 128 bytes pedidos y, en una GPU, recorres al menos 0,6 del camino (en escala logarítmica) entre la
# línea base y la solución.
#
# **Tiempo:** 20 minutos. **Sin resolver**, la comprobación responde «Aún no hay respuesta».

# %% [markdown] lang="en" id="coalesced_copy"
# ## 7.1 The layout of the data · `coalesced_copy`
#
# **Goal.** Choose a layout in memory with which the 32 reads of a warp fill 4 sectors instead of touching 32.
#
# **Given:** `records`, that is, `n` records of 8 `float32` numbers, that is, 32 bytes each. What is wanted is
# `out[i] = 2 * records[i][0]`; the other seven fields are not used. The baseline reads the records as they
# come, one thread per record.
#
# **You write** (about 2 lines) the body of `coalesced_copy_pack`, a torch function that is not timed and
# returns the same bytes in any order you like, and the body of the kernel, which receives that result.
# `coalesced_copy_pack` only moves 4-byte words: it adds nothing, drops nothing, computes nothing.
#
# **Done when** the result is exact for any `n`, your reads take at most 4.5 sectors for every 128 bytes
# requested and, on a GPU, you cover at least 0.6 of the way (on a logarithmic scale) from the baseline to the
# solution.
#
# **Time:** 20 minutes. **Unsolved**, the check answers “There is no answer yet”.

# %% role="answer" id="coalesced_copy"
from ctypes import c_int64

import torch

from goodput.cuda import kernel, launch

SOURCE = include("coalesced_copy.cu")


def coalesced_copy_pack(records):  # (n, 8) float32 -> the same words in any order and shape
    """Arrange the records for the kernel; called once per shape, not timed."""
    if records.ndim != 2 or records.shape[1] != 8:
        raise ValueError(f"records must be (n, 8), got {tuple(records.shape)}")
    if records.dtype != torch.float32:
        raise TypeError(f"records must be float32, got {records.dtype}")
    # BEGIN SOLUTION
    return records.t().contiguous()  # (8, n): one plane per field
    # END SOLUTION


def coalesced_copy(packed, out):
    """out[i] = 2 * field 0 of record i; out (n) float32, packed what coalesced_copy_pack returned."""
    n = out.numel()
    if packed.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"packed and out must be float32, got {packed.dtype} and {out.dtype}")
    if n == 0 or packed.numel() != 8 * n:
        raise ValueError(f"packed must hold 8 words per element of out, got {packed.numel()} words for {n}")
    launch(kernel(SOURCE, "coalesced_copy"), (n + 255) // 256, 256, [packed, out, c_int64(n)])


# %% role="check" id="coalesced_copy" points="4+4"
check(coalesced_copy)

# %% [markdown] role="hint" lang="es"
# ¿Cuántos bytes envía la memoria cuando un hilo pide 4?

# %% [markdown] role="hint" lang="en"
# How many bytes does the memory send when a thread asks for 4?

# %% [markdown] role="hint" lang="es"
# La memoria envía sectores enteros de 32 bytes. ¿Qué hay en los otros 28 bytes del sector que trae el campo
# 0? ¿Los pide alguien del mismo warp? Las secciones 1 y 2 de la lección dibujan las 32 direcciones de un warp
# sobre los sectores.

# %% [markdown] role="hint" lang="en"
# The memory sends whole sectors of 32 bytes. What is in the other 28 bytes of the sector that brings field 0?
# Does anyone in the same warp ask for them? Sections 1 and 2 of the lesson draw the 32 addresses of a warp on
# the sectors.

# %% [markdown] role="hint" lang="es"
# La disposición la eliges tú. Si los `n` campos 0 quedan uno tras otro al principio de `packed`, seguidos de
# los `n` campos 1 y así sucesivamente, ¿qué índice lee el hilo `i`? ¿Y qué le haces a un tensor `(n, 8)` para
# que sus columnas queden contiguas?

# %% [markdown] role="hint" lang="en"
# The layout is your choice. If the `n` fields 0 stand one after another at the start of `packed`, then the
# `n` fields 1, and so on, which index does thread `i` read? And what do you do to an `(n, 8)` tensor so that
# its columns become contiguous?

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** Un warp pide 32 palabras con una sola instrucción; la memoria contesta con sectores de
# 32 bytes. Con estructuras de 32 bytes cada palabra está en un sector distinto: 32 sectores, 1024 bytes, para
# usar 128. Con planos (*structure of arrays*) las 32 palabras son vecinas: 4 sectores, todos aprovechados. El
# kernel de la línea base no es lento: lee y escribe 36 bytes por elemento a la velocidad de la memoria. Mueve
# 4,5 veces lo necesario.
#
# H200 (2026-11), `n` = 2^26: 0,541 ms con estructuras y 0,205 ms con planos, 2,64 veces menos. Menos de 4,5,
# porque la versión con planos ya no llega al límite de la memoria: con una palabra por hilo hay pocos bytes
# en vuelo y alcanza 0,62 de la velocidad de copia.
#
# **Una versión mejor** ataca justo eso: `variants/coalesced_copy__float4.py` lee y escribe 16 bytes por
# acceso y recorre el plano con un bucle *grid-stride*. Son 16 sectores por petición y es igual de
# coalescente: una petición de 512 bytes no cabe en menos. Por eso el criterio mide sectores por cada 128
# bytes pedidos y no por petición.
#
# Si alguien más necesita los ocho campos a la vez, los planos le cuestan ocho accesos. Una disposición
# intermedia, planos dentro de grupos de 32 estructuras (AoSoA), da los mismos 4 sectores a ambos; lo delicado
# es el último grupo incompleto.

# %% [markdown] role="why" lang="en"
# **Why it works.** A warp asks for 32 words with one instruction; the memory answers in sectors of 32 bytes.
# With records of 32 bytes every word is in another sector: 32 sectors, 1024 bytes, to use 128. With planes
# (*structure of arrays*) the 32 words are neighbours: 4 sectors, all of them used. The baseline kernel is not
# slow: it reads and writes 36 bytes per element at the speed of the memory. It moves 4.5 times what is
# needed.
#
# H200 (2026-11), `n` = 2^26: 0.541 ms with records and 0.205 ms with planes, 2.64 times less. Less than 4.5,
# because the version with planes no longer reaches the limit of the memory: with one word per thread few
# bytes are in flight, and it reaches 0.62 of the copy speed.
#
# **A better version** attacks just that: `variants/coalesced_copy__float4.py` reads and writes 16 bytes per
# access and walks the plane in a *grid-stride* loop. It counts 16 sectors per request and is just as
# coalesced: a request for 512 bytes fits in no fewer. That is why the criterion counts sectors per 128 bytes
# requested and not per request.
#
# If somebody else needs all eight fields at once, planes cost them eight accesses. A layout in between,
# planes inside groups of 32 records (AoSoA), gives both the same 4 sectors; the delicate part is the last,
# incomplete group.
