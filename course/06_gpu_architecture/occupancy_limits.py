# %% [markdown] lang="es" id="occupancy_limits"
# ## 6.1 Qué detiene al siguiente bloque · `occupancy_limits`
#
# **Objetivo.** Calcular cuántos bloques de un kernel caben a la vez en un multiprocesador (SM) y qué recurso
# impide que entre uno más.
#
# **Tienes** lo que el compilador dice de un kernel, `registers` por hilo y `shared_bytes` por bloque, el
# tamaño del bloque, `threads`, y la capacidad de cómputo `cc`, por ejemplo `(9, 0)`. La tabla `LIMITS` dice
# cuánto tiene un SM de cada capacidad. El hardware reparte así:
#
# - los hilos, por warps enteros de 32;
# - los registros, a cada warp, en porciones de 256. Un SM tiene 65536, repartidos en cuatro cuartos iguales,
#   y un warp vive en uno solo de los cuartos;
# - la memoria compartida, a cada bloque, en porciones de 128 bytes (de 256 en 7.5). Desde 8.0 el sistema toma
#   antes 1024 bytes más por bloque.
#
# **Escribes** (unas 9 líneas) el cuerpo de `occupancy_limits`, que devuelve el número de bloques y el nombre
# del recurso: `"threads"`, `"blocks"` (el máximo de bloques por SM), `"registers"` o `"shared"`. Si empatan
# varios, el primero en ese orden. Un bloque que no cabe da 0 y el recurso que lo impide. Un kernel sin
# registros o sin memoria compartida no tiene ese límite.
#
# **Terminas cuando** coinciden todas las combinaciones que prueba la comprobación: unas 120, en siete
# capacidades de cómputo. No hay tolerancia.
#
# **Tiempo:** 25 minutos. **Sin resolver**, la comprobación responde «Aún no hay respuesta».

# %% [markdown] lang="en" id="occupancy_limits"
# ## 6.1 What stops the next block · `occupancy_limits`
#
# **Goal.** Compute how many blocks of a kernel fit on a multiprocessor (SM) at a time, and which resource
# keeps one more from getting in.
#
# **Given:** what the compiler says about a kernel, `registers` per thread and `shared_bytes` per block, the
# size of the block, `threads`, and the compute capability `cc`, for example `(9, 0)`. The table `LIMITS` says
# how much an SM of each capability has. The hardware hands it out like this:
#
# - threads, in whole warps of 32;
# - registers, to each warp, in portions of 256. An SM has 65536, in four equal quarters, and a warp lives in
#   just one of the quarters;
# - shared memory, to each block, in portions of 128 bytes (of 256 on 7.5). From 8.0 on, the system first
#   takes 1024 bytes more for every block.
#
# **You write** (about 9 lines) the body of `occupancy_limits`, which returns the number of blocks and the
# name of the resource: `"threads"`, `"blocks"` (the most blocks per SM), `"registers"` or `"shared"`. Where
# several tie, the first in that order. A block that does not fit gives 0 and the resource that keeps it out.
# A kernel without registers or without shared memory does not have that limit.
#
# **Done when** all the combinations that the check tries agree: about 120, on seven compute capabilities.
# There is no tolerance.
#
# **Time:** 25 minutes. **Unsolved**, the check answers “There is no answer yet”.

# %% role="answer" id="occupancy_limits"
# cc: what one SM has: threads, blocks, bytes of shared memory. Registers: 65536 on all of them.
LIMITS = {
    (7, 5): (1024, 16, 65536),
    (8, 0): (2048, 32, 167936),
    (8, 6): (1536, 16, 102400),
    (8, 9): (1536, 24, 102400),
    (9, 0): (2048, 32, 233472),
    (10, 0): (2048, 32, 233472),
    (12, 0): (1536, 24, 102400),
}


def round_up(value, portion):
    """The smallest multiple of portion that is not below value."""
    return -(-value // portion) * portion


def occupancy_limits(registers, shared_bytes, threads, cc):
    """(blocks on one SM, "threads" | "blocks" | "registers" | "shared"): the first of equals in this order."""
    if cc not in LIMITS:
        raise ValueError(f"no limits for compute capability {cc}")
    if not 1 <= threads <= 1024 or not 0 <= registers <= 255 or shared_bytes < 0:
        raise ValueError(f"no kernel has {registers} registers, {shared_bytes} bytes and {threads} threads")
    sm_threads, sm_blocks, sm_shared = LIMITS[cc]
    # BEGIN SOLUTION
    warps = round_up(threads, 32) // 32
    fit = {"threads": sm_threads // 32 // warps, "blocks": sm_blocks}
    if registers:
        warps_per_quarter = 65536 // 4 // round_up(32 * registers, 256)
        fit["registers"] = 4 * warps_per_quarter // warps
    reserved, portion = (1024, 128) if cc >= (8, 0) else (0, 256)
    if shared_bytes + reserved:
        fit["shared"] = sm_shared // round_up(shared_bytes + reserved, portion)
    limiter = min(fit, key=fit.get)  # a dict keeps its order, and min returns the first of equals
    return fit[limiter], limiter
    # END SOLUTION


# %% role="check" id="occupancy_limits" points="8"
check(occupancy_limits)

# %% [markdown] role="hint" lang="es"
# ¿En qué porciones entrega el hardware los registros? ¿A quién se los entrega: al hilo, al warp o al bloque?

# %% [markdown] role="hint" lang="en"
# In what portions does the hardware hand out registers? To whom does it give them: to the thread, the warp or
# the block?

# %% [markdown] role="hint" lang="es"
# Son cuatro límites independientes: calcula cuántos bloques permite cada recurso como si los otros sobraran y
# quédate con el menor. La sección 4 de la lección los dibuja como cuatro escaleras. ¿Qué paga cada bloque
# antes de tu primera variable compartida? ¿Qué límite aparece primero si partes el bloque por la mitad?

# %% [markdown] role="hint" lang="en"
# There are four independent limits: compute how many blocks each resource allows as if the others were
# plentiful, and keep the smallest. Section 4 of the lesson draws them as four stairs. What does every block
# pay before your first shared variable? Which limit is met first if you halve the block?

# %% [markdown] role="hint" lang="es"
# Con los registros, cuenta warps antes que bloques: cuántos warps caben en un cuarto de 16384 registros, por
# cuatro, entre los warps de un bloque. Cada división se redondea hacia abajo por separado. Guarda los cuatro
# resultados en un diccionario, en el orden del enunciado: `min` con `key` devuelve el primero de los iguales.

# %% [markdown] role="hint" lang="en"
# With registers, count warps before blocks: how many warps fit in a quarter of 16384 registers, times four,
# over the warps of a block. Each division is rounded down on its own. Keep the four results in a dictionary,
# in the order of the prompt: `min` with `key` returns the first of equals.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** Cada recurso se reparte en porciones, y lo que sobra de una porción no lo puede usar
# nadie más. Por eso la ocupación no baja poco a poco sino a escalones: con 256 hilos, de 32 registros a 33 se
# pasa de 8 bloques a 6 en un SM de 9.0, y de 33 a 40 no cambia nada. Antes de pelear por un registro conviene
# saber a qué distancia está el siguiente escalón.
#
# Los cuatro cuartos se notan con bloques pequeños o de un número impar de warps. Con 80 registros un warp
# ocupa 2560; en 65536 cabrían 25, pero en cada cuarto caben 6, así que son 24. Con bloques de 5 warps entran
# 4 y no 5.
#
# La función coincide con el cálculo que publica NVIDIA en `cuda_occupancy.h`, en más de 10000 combinaciones,
# y es la de `goodput.occupancy`, con la que las lecciones dibujan la ocupación. Lo que no cuenta: la parte de
# la memoria compartida que un programa deja como caché L1, los *clusters* y, sobre todo, si hace falta más
# ocupación. El capítulo 08 muestra kernels que van más rápido con menos.

# %% [markdown] role="why" lang="en"
# **Why it works.** Each resource is handed out in portions, and nobody else can use what is left of one. That
# is why occupancy does not fall bit by bit but in steps: with 256 threads, going from 32 registers to 33
# takes you from 8 blocks to 6 on an SM of 9.0, and from 33 to 40 nothing changes. Before fighting for one
# register it pays to know how far away the next step is.
#
# The four quarters show with small blocks or with an odd number of warps. With 80 registers a warp takes
# 2560; 25 of them would fit in 65536, but 6 fit in each quarter, which makes 24. With blocks of 5 warps, 4
# get in and not 5.
#
# The function agrees with the calculation that NVIDIA publishes in `cuda_occupancy.h`, for more than 10000
# combinations, and it is that of `goodput.occupancy`, with which the lessons draw occupancy. What it leaves
# out: the part of the shared memory that a program leaves as L1 cache, *clusters* and, above all, whether
# more occupancy is needed. Chapter 08 shows kernels that run faster with less.
