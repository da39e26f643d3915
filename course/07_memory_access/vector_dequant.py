# %% [markdown] lang="es" id="vector_dequant"
# ## 7.2 El ancho de cada acceso · `vector_dequant`
#
# **Objetivo.** Escribir 16 bytes con cada instrucción sin perder la coalescencia.
#
# **Tienes** `q`, con `n` bytes sin signo (un bloque cuantizado de la caché KV), y dos números, `scale` y
# `zero`. Hace falta `out[i] = (q[i] - zero) * scale` en `float32`. La línea base procesa un byte por hilo. El
# lanzamiento ya está escrito: un hilo por cada cuatro bytes vecinos, redondeado hacia arriba; `out` empieza
# en un múltiplo de 16 bytes y `q` en uno de 4.
#
# **Escribes** (unas 8 líneas) el cuerpo del kernel: una lectura de 4 bytes y una escritura de 16 por hilo, y
# lo que haga falta para los últimos `n % 4` elementos.
#
# **Terminas cuando** el resultado es correcto para cualquier `n`, el código máquina escribe de 128 en 128
# bits (`STG.E.128`), cada escritura toca solo los sectores imprescindibles y, en una GPU, recorres al menos
# 0,7 del camino (en escala logarítmica) entre la línea base y la solución.
#
# **Tiempo:** 25 minutos. **Sin resolver**, la comprobación responde «Aún no hay respuesta».

# %% [markdown] lang="en" id="vector_dequant"
# ## 7.2 The width of each access · `vector_dequant`
#
# **Goal.** Write 16 bytes with each instruction without losing coalescing.
#
# **Given:** `q`, `n` unsigned bytes (a quantised block of the KV cache), and two numbers, `scale` and `zero`.
# What is wanted is `out[i] = (q[i] - zero) * scale` in `float32`. The baseline handles one byte per thread.
# The launch is written already: one thread for every four neighbouring bytes, rounded up; `out` starts on a
# multiple of 16 bytes and `q` on one of 4.
#
# **You write** (about 8 lines) the body of the kernel: one 4-byte load and one 16-byte store per thread, and
# whatever the last `n % 4` elements need.
#
# **Done when** the result is right for any `n`, the machine code stores 128 bits at a time (`STG.E.128`),
# every store touches only the sectors it must and, on a GPU, you cover at least 0.7 of the way (on a
# logarithmic scale) from the baseline to the solution.
#
# **Time:** 25 minutes. **Unsolved**, the check answers “There is no answer yet”.

# %% role="answer" id="vector_dequant"
from ctypes import c_int64

import torch

from goodput.cuda import kernel, launch

SOURCE = include("vector_dequant.cu")


def vector_dequant(q, out, scale, zero):
    """out[i] = (q[i] - zero) * scale; q (n) uint8, out (n) float32."""
    n = q.numel()
    if q.dtype != torch.uint8 or out.dtype != torch.float32:
        raise TypeError(f"q must be uint8 and out float32, got {q.dtype} and {out.dtype}")
    if n == 0 or q.shape != (n,) or out.shape != (n,) or not (q.is_contiguous() and out.is_contiguous()):
        raise ValueError(f"q and out must be contiguous (n), got {tuple(q.shape)} and {tuple(out.shape)}")
    if q.data_ptr() % 4 or out.data_ptr() % 16:
        raise ValueError("q must start on a multiple of 4 bytes and out on a multiple of 16")
    quads = (n + 3) // 4
    args = [q, out, float(scale), float(zero), c_int64(n)]
    launch(kernel(SOURCE, "vector_dequant"), (quads + 255) // 256, 256, args)


# %% role="check" id="vector_dequant" points="4+4"
check(vector_dequant)

# %% [markdown] role="hint" lang="es"
# ¿Cuál es la escritura más ancha que puede hacer un hilo con una instrucción?

# %% [markdown] role="hint" lang="en"
# How wide is the widest store that one thread can issue in one instruction?

# %% [markdown] role="hint" lang="es"
# Son 16 bytes, un `float4`: cuatro resultados, es decir, cuatro bytes de `q`. ¿Dónde caen las 32 escrituras
# de un warp si el hilo `t` se ocupa de los bytes `4t` a `4t + 3`? ¿Y si se ocupara de 16 bytes seguidos e
# hiciera cuatro escrituras? Sección 3 de la lección.

# %% [markdown] role="hint" lang="en"
# It is 16 bytes, a `float4`: four results, that is, four bytes of `q`. Where do a warp's 32 stores land if
# thread `t` takes bytes `4t` to `4t + 3`? And if it took 16 bytes in a row and made four stores? Section 3 of
# the lesson.

# %% [markdown] role="hint" lang="es"
# `reinterpret_cast<const uchar4*>(q)[quad]` trae los cuatro bytes y
# `reinterpret_cast<float4*>(out)[quad] = make_float4(...)` los escribe. Solo valen si los cuatro existen:
# ¿qué condición lo dice, y qué hace el único hilo que no la cumple con los últimos `n % 4` bytes? Recuerda
# restar en coma flotante: un `unsigned` no baja de cero.

# %% [markdown] role="hint" lang="en"
# `reinterpret_cast<const uchar4*>(q)[quad]` brings the four bytes and
# `reinterpret_cast<float4*>(out)[quad] = make_float4(...)` writes them. They hold only if all four exist:
# which condition says so, and what does the one thread that fails it do with the last `n % 4` bytes? Remember
# to subtract in floating point: an `unsigned` does not go below zero.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** La línea base ya era coalescente: 32 lecturas de un byte caben en un sector y 32
# escrituras de 4 bytes, en cuatro. Lo que falta es trabajo por instrucción. Cada petición pasa por las mismas
# etapas (dirección, traducción, cola), sea de 4 o de 16 bytes, y un multiprocesador solo tiene un número
# limitado de peticiones en vuelo. Con 16 bytes por escritura hay cuatro veces más bytes en camino con las
# mismas peticiones, y una cuarta parte de instrucciones de índices.
#
# H200 (2026-11), `n` = 2^28: 0,722 ms con un byte por hilo y 0,333 ms con cuatro, 2,17 veces menos y 0,95 de
# la velocidad de copia.
#
# **La trampa** es ensanchar también la lectura sin más: si un hilo lee 16 bytes y hace cuatro escrituras, las
# 32 escrituras de cada instrucción quedan a 64 bytes unas de otras y tocan 32 sectores a medias en lugar de
# 16 enteros.
#
# **Dos versiones que mantienen más lecturas en vuelo**, ambas con 16 sectores por escritura:
# `variants/vector_dequant__four_in_flight.py` pide cuatro grupos de 4 bytes separados por un bloque entero
# antes de usar el primero; `variants/vector_dequant__wide_loads.py` lee 16 bytes por hilo y, con dos
# *shuffles*, intercambia la mitad con el hilo vecino para que cada pareja escriba sectores enteros. Mídelas
# en tu GPU antes de preferir la más complicada: queda poco margen hasta la velocidad de copia.

# %% [markdown] role="why" lang="en"
# **Why it works.** The baseline was coalesced already: 32 one-byte loads fit in one sector, and 32 four-byte
# stores in four. What is missing is work per instruction. Every request passes the same stages (address,
# translation, queue), whether it is for 4 or for 16 bytes, and a multiprocessor has only so many requests in
# flight. With 16 bytes per store there are four times as many bytes under way with the same requests, and a
# quarter of the index instructions.
#
# H200 (2026-11), `n` = 2^28: 0.722 ms with one byte per thread and 0.333 ms with four, 2.17 times less and
# 0.95 of the copy speed.
#
# **The trap** is to widen the load as well and leave it at that: if a thread loads 16 bytes and makes four
# stores, the 32 stores of each instruction lie 64 bytes apart and touch 32 half-used sectors instead of 16
# whole ones.
#
# **Two versions that keep more loads in flight**, both with 16 sectors per store:
# `variants/vector_dequant__four_in_flight.py` asks for four groups of 4 bytes, a whole block apart, before it
# uses the first; `variants/vector_dequant__wide_loads.py` loads 16 bytes per thread and, with two *shuffles*,
# swaps half of them with the neighbouring lane so that each pair writes whole sectors. Measure them on your
# GPU before you prefer the more complicated one: little room is left up to the copy speed.
