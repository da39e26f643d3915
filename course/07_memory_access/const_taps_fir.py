# %% [markdown] lang="es" id="const_taps_fir"
# ## 7.7 Un dato para los 32 hilos · `const_taps_fir`
#
# **Objetivo.** Enviar los datos que todos los hilos leen a la vez por el camino hecho para ellos.
#
# **Tienes.** Una señal `x` de `n` números `float32` y un filtro `taps` de 17 coeficientes. Hace falta `out`, de `n - 16`
# elementos: cada `out[i]` es la suma de `taps[k] * x[i + k]` para `k` de 0 a 16. En la línea base, un hilo por resultado, el
# compilador emite 34 lecturas por resultado: 17 de `x` y 17 de `taps`. Los 32 hilos de un warp piden cada vez el mismo
# coeficiente.
#
# **Escribes** (unas 6 líneas) en tres huecos: dónde viven los coeficientes, el cuerpo del kernel y el lanzamiento. `launch`
# llena una variable `__constant__` antes de ejecutar el kernel si la nombras en `constants`.
#
# **Terminas cuando** el resultado es correcto para cualquier `n` a partir de 17, ejecutas como mucho 17 lecturas por
# resultado (globales y compartidas, sumadas), ningún hilo elige su coeficiente con un índice propio y el código máquina lee
# datos por la memoria constante (`c[0x3]`) o por la ruta de solo lectura (`LDG.E.CONSTANT`). El tiempo se muestra, pero no
# puntúa.
#
# **Tiempo:** 25 minutos. **Sin resolver**, la comprobación responde que aún no hay respuesta: `const_taps_fir` todavía
# lanza `NotImplementedError`.

# %% [markdown] lang="en" id="const_taps_fir"
# ## 7.7 One word for 32 threads · `const_taps_fir`
#
# **Goal.** Send the data that all threads read together through the path made for it.
#
# **Given.** A signal `x` of `n` numbers `float32` and a filter `taps` of 17 coefficients. What is wanted is `out`, of
# `n - 16` elements: each `out[i]` is the sum of `taps[k] * x[i + k]` for `k` from 0 to 16. In the baseline, one thread per
# result, the compiler issues 34 loads per result: 17 of `x` and 17 of `taps`. The 32 threads of a warp ask for the same
# coefficient every time.
#
# **You write** (about 6 lines) in three holes: where the coefficients live, the body of the kernel, and the launch. `launch`
# fills a `__constant__` variable before it runs the kernel if you name it in `constants`.
#
# **Done when** the result is right for any `n` from 17 on, you execute at most 17 loads per result (global and shared, added
# up), no thread picks its coefficient with an index of its own, and the machine code reads data through constant memory
# (`c[0x3]`) or through the read-only path (`LDG.E.CONSTANT`). The time is shown, but earns no points.
#
# **Time:** 25 minutes. **Unsolved**, the check answers that there is no answer yet: `const_taps_fir` still raises
# `NotImplementedError`.

# %% role="answer" id="const_taps_fir"
import torch

from goodput.cuda import kernel, launch

SOURCE = include("const_taps_fir.cu")


def const_taps_fir(x, taps, out):
    """out[i] = sum over k of taps[k] * x[i + k]; x (n) float32, taps (17) float32, out (n - 16) float32."""
    if not x.dtype == taps.dtype == out.dtype == torch.float32:
        raise TypeError(f"x, taps and out must be float32, got {x.dtype}, {taps.dtype}, {out.dtype}")
    if x.dim() != 1 or x.numel() < 17 or taps.shape != (17,) or out.shape != (x.numel() - 16,):
        shapes = [tuple(t.shape) for t in (x, taps, out)]
        raise ValueError(f"x must be (n) with n >= 17, taps (17) and out (n - 16), got {shapes}")
    if not all(t.is_contiguous() for t in (x, taps, out)):
        raise ValueError("x, taps and out must be contiguous")
    outputs = out.numel()
    grid, args = (outputs + 255) // 256, [x, taps, out, outputs]
    # BEGIN SOLUTION
    launch(kernel(SOURCE, "const_taps_fir"), grid, 256, args, constants={"c_taps": taps})
    # END SOLUTION


# %% role="check" id="const_taps_fir" points="6"
check(const_taps_fir)

# %% [markdown] role="hint" lang="es"
# En la vuelta `k` del bucle, ¿leen los 32 hilos de un warp la misma palabra de `x`? ¿Y la misma de `taps`?

# %% [markdown] role="hint" lang="en"
# In round `k` of the loop, do the 32 threads of a warp read the same word of `x`? And the same word of `taps`?

# %% [markdown] role="hint" lang="es"
# Hay una memoria que contesta a 32 peticiones iguales con una sola palabra y que, además, es un operando directo de las
# instrucciones aritméticas. Se declara fuera del kernel y solo lee deprisa si los 32 índices coinciden. ¿Y qué le dice al
# compilador que nadie escribe `x` mientras el kernel lo lee? Sección 7 de la lección.

# %% [markdown] role="hint" lang="en"
# There is a memory that answers 32 equal requests with a single word and is, besides, a direct operand of arithmetic
# instructions. It is declared outside the kernel, and it is fast only if the 32 indices are the same. And what tells the
# compiler that nobody writes `x` while the kernel reads it? Section 7 of the lesson.

# %% [markdown] role="hint" lang="es"
# La declaración es `__constant__ float c_taps[TAPS];` y el lanzamiento termina en `constants={"c_taps": taps}`. En cuanto
# al bucle, asegúrate de que el compilador lo desenrolle (`#pragma unroll`): con `k` conocido, el coeficiente deja de
# necesitar una instrucción de lectura.

# %% [markdown] role="hint" lang="en"
# The declaration is `__constant__ float c_taps[TAPS];` and the launch ends in `constants={"c_taps": taps}`. As to the loop,
# take care that the compiler unrolls it (`#pragma unroll`): with `k` known, the coefficient no longer needs a load
# instruction.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** Las 34 lecturas de la línea base aciertan casi todas en la caché L1, así que la memoria no es el
# límite: lo es el número de peticiones que la L1 atiende por ciclo. La mitad de ellas pide 32 veces la misma palabra. La
# memoria constante tiene su propia caché, entrega una palabra a los 32 hilos a la vez y su contenido entra en `FFMA` como
# operando, directamente o a través de un registro uniforme del warp, sin una lectura por hilo. Quedan las 17 de `x`. La
# condición es que los 32 índices coincidan: si cada hilo elige un coeficiente distinto, la petición se repite una vez por
# índice distinto.
#
# H200 (2026-11), `n` = 2^27: 0,657 ms, 0,39 de la velocidad de copia. Sigue lejos del techo por la misma razón de antes: 17
# peticiones a la L1 por cada resultado.
#
# **La versión que llega más lejos** está en `variants/const_taps_fir__register_window.py`. Cuatro resultados vecinos
# comparten 16 de sus 17 entradas: un hilo que calcula cuatro lee 20 palabras con cinco lecturas de 16 bytes y las guarda en
# registros. Son 1,25 lecturas por resultado en lugar de 17, y los coeficientes siguen en la memoria constante.
#
# **¿Y `__ldg` o `const __restrict__` para `taps`?** Las lecturas irían por la ruta de solo lectura, pero seguirían siendo
# 17 instrucciones más por resultado. Compensan cuando cada hilo las hace una vez, guarda los coeficientes en registros y
# calcula muchos resultados.

# %% [markdown] role="why" lang="en"
# **Why it works.** The 34 loads of the baseline hit the L1 cache almost always, so memory is not the limit: the number of
# requests that L1 serves per cycle is. Half of them ask for the same word 32 times. Constant memory has a cache of its own,
# hands one word to the 32 threads at once, and its contents enter `FFMA` as an operand, directly or through a uniform
# register of the warp, without a load per thread. The 17 of `x` remain. The condition is that the 32 indices are the same:
# if every thread picks another coefficient, the request is repeated once per different index.
#
# H200 (2026-11), `n` = 2^27: 0.657 ms, 0.39 of the copy speed. It is still far from the ceiling for the same reason as
# before: 17 requests to L1 for every result.
#
# **The version that goes further** is in `variants/const_taps_fir__register_window.py`. Four neighbouring results share 16 of
# their 17 inputs: a thread that computes four loads 20 words with five 16-byte loads and keeps them in registers. That is
# 1.25 loads per result instead of 17, and the coefficients stay in constant memory.
#
# **And `__ldg` or `const __restrict__` for `taps`?** The loads would take the read-only path, but they would still be 17 more
# instructions per result. They pay when each thread makes them once, keeps the coefficients in registers and computes many
# results.
