# %% [markdown] lang="es" id="async_row_ring"
# ## 7.6 Filas en camino mientras calculas · `async_row_ring`
#
# **Objetivo.** Mantener lecturas en vuelo mientras calculas, con un anillo de etapas llenadas por `cp.async`.
#
# **Tienes.** Un kernel de RMSNorm: cada fila de `x`, `(R, 8192)` en `bfloat16`, se multiplica por
# `rsqrt(mean(x^2) + eps)` y por `w`. El lanzamiento es fijo: un bloque de 512 hilos por multiprocesador, con tanta memoria
# compartida dinámica que un segundo bloque no cabe; el bloque `b` se ocupa de las filas `b`, `b + gridDim.x`, ... Es la
# situación de los kernels cuyo estado ocupa todo el multiprocesador: no hay otro bloque que trabaje mientras este espera. La
# línea base lee una fila, la espera, calcula y escribe. El cálculo de una fila ya está escrito (`squares`, `block_sum`,
# `scaled`), y `goodput/primitives.cuh` trae `cp_async16`, `cp_commit` y `cp_wait`.
#
# **Escribes** (unas 20 líneas) el anillo de 4 etapas: qué se pide antes de empezar, qué se espera en cada vuelta, qué se
# pide en su lugar y el bucle que lo une.
#
# **Terminas cuando** el resultado es correcto para cualquier `R`, el código máquina contiene `LDGSTS`, después de cada espera
# quedan en vuelo al menos 2 grupos y, en una GPU, recorres al menos 0,65 del camino (en escala logarítmica) entre la línea
# base y la solución.
#
# **Tiempo:** 45 minutos. **Sin resolver**, la comprobación responde que aún no hay respuesta.

# %% [markdown] lang="en" id="async_row_ring"
# ## 7.6 Rows under way while you compute · `async_row_ring`
#
# **Goal.** Keep loads in flight while you compute, with a ring of stages filled by `cp.async`.
#
# **Given.** An RMSNorm kernel: each row of `x`, `(R, 8192)` in `bfloat16`, is multiplied by `rsqrt(mean(x^2) + eps)` and by
# `w`. The launch is fixed: one block of 512 threads per multiprocessor, with so much dynamic shared memory that a second
# block does not fit; block `b` takes rows `b`, `b + gridDim.x`, ... It is the situation of kernels whose state fills the whole
# multiprocessor: no other block works while this one waits. The baseline loads a row, waits for it, computes and stores. The
# computation of a row is written already (`squares`, `block_sum`, `scaled`), and `goodput/primitives.cuh` brings
# `cp_async16`, `cp_commit` and `cp_wait`.
#
# **You write** (about 20 lines) the ring of 4 stages: what is asked for before the start, what is waited for in each round,
# what is asked for in exchange, and the loop that joins them.
#
# **Done when** the result is right for any `R`, the machine code has `LDGSTS`, at least 2 groups stay in flight after every
# wait and, on a GPU, you cover at least 0.65 of the way (on a logarithmic scale) from the baseline to the solution.
#
# **Time:** 45 minutes. **Unsolved**, the check answers that there is no answer yet.

# %% role="answer" id="async_row_ring"
import torch

from goodput.cuda import compute_capability, kernel, launch, multiprocessors

SOURCE = include("async_row_ring.cu")


def async_row_ring(x, w, out, eps):
    """out = x * rsqrt(mean(x^2, row) + eps) * w; x and out (R, 8192) bfloat16, w (8192) bfloat16."""
    if not x.dtype == w.dtype == out.dtype == torch.bfloat16:
        raise TypeError(f"x, w and out must be bfloat16, got {x.dtype}, {w.dtype}, {out.dtype}")
    if x.dim() != 2 or x.shape[1] != 8192 or out.shape != x.shape or w.shape != (8192,):
        shapes = [tuple(t.shape) for t in (x, w, out)]
        raise ValueError(f"x and out must be (R, 8192) and w (8192), got {shapes}")
    if not all(t.is_contiguous() and t.data_ptr() % 16 == 0 for t in (x, w, out)):
        raise ValueError("x, w and out must be contiguous and start on a multiple of 16 bytes")
    if x.shape[0] == 0:
        return
    # more than half of the shared memory of a multiprocessor: 228 KiB from 9.0 to 11.0, at most 164 KiB on the others
    smem = (120 if compute_capability()[0] in (9, 10, 11) else 96) * 1024
    args = [x, w, out, x.shape[0], float(eps)]
    launch(kernel(SOURCE, "async_row_ring"), multiprocessors(), 512, args, smem=smem)


# %% role="check" id="async_row_ring" points="5+5"
check(async_row_ring)

# %% [markdown] role="hint" lang="es"
# Mientras calculas la fila `i`, ¿cuántas filas están en camino en la línea base? ¿Cuántas caben en un anillo de 4 etapas?

# %% [markdown] role="hint" lang="en"
# While you compute row `i`, how many rows are under way in the baseline? How many fit in a ring of 4 stages?

# %% [markdown] role="hint" lang="es"
# `cp_commit` cierra un grupo de copias; `cp_wait<N>` vuelve cuando quedan como mucho `N` grupos pendientes, y siempre
# terminan primero los más antiguos. No sabe de filas: cuenta grupos. Si antes del bucle cierras 4 grupos y cada vuelta
# cierra uno más, ¿cuántos puede haber pendientes cuando la fila de esta vuelta ya está? ¿Y qué tienen que cerrar las últimas
# vueltas, cuando ya no queda ninguna fila que pedir? Sección 8 de la lección.

# %% [markdown] role="hint" lang="en"
# `cp_commit` closes a group of copies; `cp_wait<N>` returns when at most `N` groups are pending, and the oldest always
# finish first. It knows nothing of rows: it counts groups. If you close 4 groups before the loop and every round closes one
# more, how many may be pending when the row of this round is there? And what must the last rounds close, when there is no
# row left to ask for? Section 8 of the lesson.

# %% [markdown] role="hint" lang="es"
# Una función `fetch(row, stage)` copia los dos vectores del hilo con `cp_async16` si `row < rows`, y cierra el grupo en
# cualquier caso. Antes del bucle, una llamada por etapa. En cada vuelta: `cp_wait<STAGES - 1>()`, pasar de la etapa a `v` y
# sumar `squares`, `fetch(row + STAGES * blocks, stage)` sobre la etapa que acaba de quedar libre, y después `block_sum` y
# las escrituras. Si cada hilo lee solo lo que él mismo copió, ¿le hace falta una barrera? `partial` tiene dos mitades:
# alterna.

# %% [markdown] role="hint" lang="en"
# A function `fetch(row, stage)` copies the thread's two vectors with `cp_async16` if `row < rows`, and closes the group in
# any case. Before the loop, one call per stage. In each round: `cp_wait<STAGES - 1>()`, move from the stage to `v` and add up
# `squares`, `fetch(row + STAGES * blocks, stage)` into the stage that has just become free, and then `block_sum` and the
# stores. If every thread reads only what it copied itself, does it need a barrier? `partial` has two halves: alternate.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** Para llenar la memoria hacen falta tantos bytes en vuelo como el producto de su velocidad por su
# latencia. La línea base pide una fila, 16 KiB por multiprocesador, y mientras calcula no pide nada: su tiempo es latencia
# más cálculo. El anillo mantiene tres o cuatro filas en camino todo el tiempo, sin gastar registros, porque `cp.async`
# escribe directamente en memoria compartida. El cálculo queda escondido detrás de las lecturas.
#
# Las dos cuentas que deciden: `cp_wait<STAGES - 1>`, porque hay `STAGES` grupos cerrados más uno por vuelta y solo el más
# antiguo tiene que haber llegado; y el grupo vacío de las filas que no existen, sin el cual las últimas filas de cada
# bloque se leen antes de que lleguen.
#
# H200 (2026-11), 32 768 filas: 0,568 ms la línea base y 0,286 ms el anillo, 1,99 veces menos y 0,89 de la velocidad de copia.
#
# **Con copias en bloque** (`variants/async_row_ring__bulk_ring.py`, desde Hopper) un solo hilo pide la fila entera y un
# *mbarrier* cuenta los bytes que llegan: H200 (2026-11) 0,283 ms. `variants/async_row_ring__bulk_queue.py` reparte además las
# filas según van quedando libres los bloques, en lugar de fijar de antemano cuáles le tocan a cada uno; compara las dos en tu
# GPU.
#
# **Y hay que reconocerlo**: `variants/async_row_ring__full_occupancy.py` no tiene anillo. Un bloque por fila, varios
# bloques por multiprocesador, y mientras uno espera otros calculan: H200 (2026-11) 0,258 ms, 0,98 de la velocidad de copia,
# mejor que todos los anillos. La prelectura compensa donde no se puede tener ocupación: en kernels cuyos acumuladores o
# tablas llenan los registros o la memoria compartida, como la multiplicación de matrices y la atención.

# %% [markdown] role="why" lang="en"
# **Why it works.** To fill the memory, as many bytes must be in flight as its speed times its latency. The baseline asks for
# one row, 16 KiB per multiprocessor, and asks for nothing while it computes: its time is latency plus computation. The ring
# keeps three or four rows under way all the time without spending registers, because `cp.async` writes straight to shared
# memory. The computation hides behind the loads.
#
# The two counts that decide: `cp_wait<STAGES - 1>`, because `STAGES` groups are closed plus one per round and only the oldest
# must be there; and the empty group of rows that do not exist, without which the last rows of every block are read before
# they arrive.
#
# H200 (2026-11), 32,768 rows: 0.568 ms for the baseline and 0.286 ms for the ring, 1.99 times less and 0.89 of the copy speed.
#
# **With bulk copies** (`variants/async_row_ring__bulk_ring.py`, from Hopper on) a single thread asks for the whole row and an
# *mbarrier* counts the bytes that arrive: H200 (2026-11) 0.283 ms. `variants/async_row_ring__bulk_queue.py` also hands out the
# rows as blocks become free, instead of fixing beforehand which ones each gets; compare the two on your GPU.
#
# **And the honest lesson**: `variants/async_row_ring__full_occupancy.py` has no ring. One block per row, several blocks per
# multiprocessor, and while one waits others compute: H200 (2026-11) 0.258 ms, 0.98 of the copy speed, better than all the
# rings. Prefetching pays where occupancy cannot be had: in kernels whose accumulators or tables fill the registers or the
# shared memory, such as matrix multiplication and attention.
