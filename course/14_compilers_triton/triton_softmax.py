# %% [markdown] lang="es" id="triton_softmax"
# ## 14.2 Una fila en los registros · `triton_softmax`
#
# **Objetivo.** Leer cada fila una sola vez y tenerla en los registros hasta escribir su softmax, sea cual sea su ancho.
#
# **Tienes** `x` de forma `(R, N)` en `float32`, con `N` hasta 16384. Las filas son contiguas por dentro, pero entre una y
# la siguiente puede haber un salto mayor que `N` (`x.stride(0)`). `out` es contiguo. La línea base usa cinco operaciones de
# PyTorch: máximo, resta, exponencial, suma y división; entre todas leen y escriben 32 bytes por elemento.
#
# **Escribes** (unas 5 líneas) el cuerpo del kernel. Un programa de Triton se ocupa de una fila con un bloque de `BLOCK`
# columnas, la potencia de dos que sigue a `N`; las columnas de más no existen, y tienes que decir qué valen.
#
# **Terminas cuando** el resultado difiere menos de 1e-5 de la referencia, también con filas muy negativas, con un `-inf` y
# con saltos entre filas; hay un único lanzamiento, ninguna operación de PyTorch que calcule, lecturas de 16 bytes y nada en
# la pila; y, en una GPU, recorres al menos 0,7 del camino (en escala logarítmica) entre la línea base y la solución.
#
# **Tiempo:** 35 minutos. **Sin resolver**, la comprobación responde «Aún no hay
# respuesta».

# %% [markdown] lang="en" id="triton_softmax"
# ## 14.2 A row in the registers · `triton_softmax`
#
# **Goal.** Read each row just once and keep it in the registers until its softmax is written, whatever its width.
#
# **Given:** `x` of shape `(R, N)` in `float32`, with `N` up to 16384. Rows are contiguous inside, but from one to the next
# there may be a step larger than `N` (`x.stride(0)`). `out` is contiguous. The baseline uses five PyTorch operations:
# maximum, subtraction, exponential, sum and division; together they read and write 32 bytes per element.
#
# **You write** (about 5 lines) the body of the kernel. One Triton program looks after one row with a block of `BLOCK`
# columns, the power of two that follows `N`; the columns beyond do not exist, and you have to say what they are worth.
#
# **Done when** the result differs by less than 1e-5 from the reference, also for very negative rows, with a `-inf` and with
# steps between rows; there is a single launch, no PyTorch operation that computes, reads of 16 bytes and nothing on the
# stack; and, on a GPU, you cover at least 0.7 of the way (on a logarithmic scale) from the baseline to the solution.
#
# **Time:** 35 minutes. **Unsolved**, the check answers “There is no answer yet”.

# %% role="answer" id="triton_softmax"
import torch
import triton
import triton.language as tl

MAX_N = 16384  # a row of 64 KiB: with 8 warps, 64 registers of each thread


@triton.jit
def softmax_row(x, out, row_stride, n, BLOCK: tl.constexpr):
    """out[row] = softmax(x[row]) for the row of this program; BLOCK >= n is a power of two."""
    row = tl.program_id(0).to(tl.int64)  # row * row_stride may exceed 32 bits
    # BEGIN SOLUTION
    column = tl.arange(0, BLOCK)
    inside = column < n
    value = tl.load(x + row * row_stride + column, mask=inside, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))  # lanes beyond the row: exp(-inf) = 0
    tl.store(out + row * n + column, value / tl.sum(value, 0), mask=inside)
    # END SOLUTION


def triton_softmax(x, out):
    """out = softmax of every row of x; x (R, N) float32 with stride(1) == 1, out (R, N) float32 contiguous."""
    if x.dtype != torch.float32 or out.dtype != torch.float32:
        raise TypeError(f"x and out must be float32, got {x.dtype} and {out.dtype}")
    if x.ndim != 2 or x.shape != out.shape or not 1 <= x.shape[1] <= MAX_N:
        raise ValueError(
            f"x and out must be (R, N) with N up to {MAX_N}, got {tuple(x.shape)} and {tuple(out.shape)}"
        )
    if x.stride(1) != 1 or not out.is_contiguous():
        raise ValueError("rows of x must be contiguous inside, and out contiguous")
    rows, n = x.shape
    block = triton.next_power_of_2(n)
    softmax_row[(rows,)](x, out, x.stride(0), n, BLOCK=block, num_warps=8)


# %% role="check" id="triton_softmax" points="5+5"
check(triton_softmax)

# %% [markdown] role="hint" lang="es"
# ¿Qué aportan al máximo las columnas que están más allá de `N`? ¿Y a la suma?

# %% [markdown] role="hint" lang="en"
# What do the columns beyond `N` contribute to the maximum? And to the sum?

# %% [markdown] role="hint" lang="es"
# ¿Cuántas veces se lee `x` si el bloque ya está en los registros? ¿Y cuál es la dirección del primer elemento de la fila
# `r` cuando las filas no están pegadas? La sección 4 de la lección cuenta los bytes de las cinco operaciones y los de un
# solo kernel.

# %% [markdown] role="hint" lang="en"
# How many times is `x` read if the block is already in the registers? And what is the address of the first element of row
# `r` when rows do not touch? Section 4 of the lesson counts the bytes of the five operations and those of a single kernel.

# %% [markdown] role="hint" lang="es"
# `tl.arange(0, BLOCK)` da las columnas y `mask=` dice cuáles existen, tanto al leer como al escribir. `other=` es lo que
# reciben las demás al leer: busca el número que no cambia un máximo y cuya exponencial no cambia una suma. Después, máximo,
# resta, exponencial, suma y división son operaciones sobre el bloque, sin volver a la memoria.

# %% [markdown] role="hint" lang="en"
# `tl.arange(0, BLOCK)` gives the columns and `mask=` says which exist, for reading and for writing. `other=` is what the
# rest receive when you read: look for the number that does not change a maximum and whose exponential does not change a
# sum. After that, maximum, subtraction, exponential, sum and division are operations on the block, without going back to
# memory.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** Softmax hace pocas cuentas por byte: el tiempo lo pone la memoria. Las cinco operaciones de la línea
# base leen y escriben 32 bytes por elemento; un kernel que guarda la fila en los registros, 8. Con 8 warps y una fila de
# 8192, cada hilo tiene 32 elementos en los registros: no hace falta memoria compartida más que para los dos resultados
# que reúnen los warps.
#
# H200 (2026-11), 16384 filas de 8192: 1,443 ms con cinco operaciones y 0,266 ms con un kernel, 5,43 veces; son
# 4039 GB/s, 0,95 de la velocidad de copia. `torch.softmax` tarda 0,551 ms.
#
# **Los tres errores de siempre.** Con `other=0`, una fila en la que todo es menor que −100 tiene por máximo el 0 de una
# columna que no existe, y todas las exponenciales se anulan. Con `row * n` en la lectura, el resultado es correcto hasta
# que alguien pasa una vista. Y sin restar el máximo, `exp(89)` ya es infinito en `float32`.
#
# Cuando la fila no cabe en los registros, el compilador la desborda a la pila sin avisar: el kernel sigue siendo correcto
# y pierde la ventaja. Por eso el criterio cuenta los bytes de pila. Para filas más largas hace falta el softmax incremental
# (*online*), que recorre la fila a trozos y corrige lo acumulado cuando aparece un máximo mayor.

# %% [markdown] role="why" lang="en"
# **Why it works.** Softmax computes little per byte: memory sets the time. The five operations of the baseline read and
# write 32 bytes per element; a kernel that keeps the row in registers, 8. With 8 warps and a row of 8192, each thread holds
# 32 elements in registers: shared memory is only needed for the two results that the warps bring together.
#
# H200 (2026-11), 16384 rows of 8192: 1.443 ms with five operations and 0.266 ms with one kernel, 5.43 times; that is
# 4039 GB/s, 0.95 of the copy speed. `torch.softmax` takes 0.551 ms.
#
# **The three usual mistakes.** With `other=0`, a row in which everything is below −100 has for its maximum the 0 of a
# column that does not exist, and all exponentials vanish. With `row * n` in the read, the result is right until somebody
# passes a view. And without subtracting the maximum, `exp(89)` is already infinite in `float32`.
#
# When the row does not fit in the registers, the compiler spills it to the stack without a word: the kernel is still right
# and loses its advantage. That is why the criterion counts the bytes of stack. Longer rows need the online softmax, which
# walks the row in pieces and corrects what it has accumulated when a larger maximum turns up.
