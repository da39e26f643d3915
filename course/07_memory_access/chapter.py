# %% [markdown] lang="es" id="title"
# # 07 · Patrones de acceso a la memoria
#
# **«El kernel mueve 1 GB en 0,6 ms. ¿Es la memoria o es el código?»**
#
# La pregunta llega con un cronómetro y nada más. Esta lección la contesta con cuentas: cuántos sectores toca cada petición,
# qué ancho tiene cada acceso, cuántas pasadas necesita la memoria compartida, cuántas instrucciones hacen falta por
# resultado y cuántos datos vienen en camino. El hilo conductor es el recorrido de un bloque de la caché KV durante la
# generación de texto: leerlo, descuantizarlo, transponerlo, reducirlo y normalizarlo.
#
# Antes de cada medición hay una **predicción** con dos números: los bytes que deben moverse y las operaciones que hacen
# falta. Tapa la celda siguiente, apunta qué esperas y compara.
#
# Los recuentos se hacen ahora mismo, con GPU o sin ella: un emulador ejecuta cada kernel en la CPU y el compilador enseña
# el código máquina. Los tiempos se miden en tu GPU si la tienes; si no, se muestran los registrados. Debajo de cada figura
# y de cada tabla se indica de dónde salen sus números.

# %% [markdown] lang="en" id="title"
# # 07 · Memory access patterns
#
# **“The kernel moves 1 GB in 0.6 ms. Is that the memory or the code?”**
#
# The question arrives with a stopwatch and nothing else. This lesson answers it by counting: how many sectors each request
# touches, how wide each access is, how many passes shared memory needs, how many instructions a result takes and how much
# data is on its way. The thread that runs through it is the path of a block of the KV cache while text is generated: read
# it, dequantise it, transpose it, reduce it and normalise it.
#
# Before each measurement there is a **prediction** with two numbers: the bytes that must move and the operations that are
# needed. Cover the next cell, write down what you expect, and compare.
#
# The counts are made right now, with a GPU or without one: an emulator runs each kernel on the CPU and the compiler shows
# the machine code. Times are measured on your GPU if you have one; if not, the recorded ones are shown. Under each figure
# and each table it says where its numbers come from.

# %% id="setup"
import sys

import torch

from goodput.cuda import machine_code, nvrtc
from goodput.emulator import count
from goodput.machine import Ceilings
from goodput.recorded import recorded
from goodput.roofline import predict
from goodput.show import CALCULATED, COUNTED, listing, origin, stride_slider

results = recorded("07_memory_access")  # measures on a GPU, else reads course/07_memory_access/recorded/
sys.path.append(str(results.chapter))
import lesson_figures as figures
import lesson_kernels as kernels  # launches every kernel of this lesson
import lesson_tables as tables
import measure  # times them on a GPU, one function per section

roof = results.run("ceilings", measure.ceilings)
ceilings = Ceilings.from_json(roof.value)


def expect(result):
    """The prediction: from the bytes and operations of one call and the ceilings alone."""
    return predict(result.value["bytes"], result.value["flop"], ceilings, note=origin(CALCULATED, roof))


roof

# %% [markdown] lang="es" id="suspects"
# ## Cuatro sospechosos con la misma coartada
#
# Cuatro kernels de ese recorrido. Cada uno es la primera versión que escribiría una persona competente, y el cronómetro apenas
# los distingue. La barra divide los bytes que *deben* moverse entre el tiempo; la línea discontinua es lo que alcanza una
# copia simple en la misma GPU.

# %% [markdown] lang="en" id="suspects"
# ## Four suspects with the same alibi
#
# Four kernels of that path. Each is the first version that a competent person would write, and the stopwatch can hardly
# tell them apart. The bar divides the bytes that *must* move by the time; the dashed line is what a plain copy reaches on
# the same GPU.

# %% id="suspects-figure"
layout = results.run("layout", measure.layout)
dequant = results.run("dequant", measure.dequant)
transpose = results.run("transpose", measure.transpose)
norm = results.run("norm", measure.norm)

figures.suspects(
    [(layout, "records"), (dequant, "dequant_bytes"), (transpose, "transpose_tile"), (norm, "norm_waits")],
    ceilings,
)

# %% [markdown] lang="es" id="suspects-verdict"
# En la H200 ninguno llega a la mitad de la copia, así que la respuesta cómoda sería «es el código» cuatro veces. Es verdad
# en tres casos, y por tres razones distintas. En el cuarto la memoria está ocupada casi por completo: **es justo el que
# peor queda en la figura**. Elige uno antes de seguir; la sección 2 lo revela.

# %% [markdown] lang="en" id="suspects-verdict"
# On the H200 none reaches half of the copy, so the easy answer would be “it is the code” four times over. That is true in three cases,
# for three different reasons. In the fourth the memory is busy almost all the time: **it is the very one that looks worst
# in the figure**. Pick one before you go on; section 2 reveals it.

# %% [markdown] lang="es" id="sectors"
# ## 1. Sectores: lo que viaja no es lo que pides
#
# Los 32 lanes de un warp ejecutan juntos cada lectura, y la memoria contesta con **sectores** de 32 bytes, enteros. El
# kernel es `out[i] = 2 * x[stride * i]`: el paso solo cambia dónde lee cada lane.
#
# **Predice:** ¿cuántos sectores toca un warp con paso 1, 2, 8 y 32? ¿Y cuántas veces más lento será el paso 32 que el 8?

# %% [markdown] lang="en" id="sectors"
# ## 1. Sectors: what travels is not what you ask for
#
# The 32 lanes of a warp execute each read together, and the memory answers with **sectors** of 32 bytes, whole ones. The
# kernel is `out[i] = 2 * x[stride * i]`: the stride only changes where each lane reads.
#
# **Predict:** how many sectors does a warp touch with stride 1, 2, 8 and 32? And how many times slower will stride 32 be
# than 8?

# %% id="sectors-prediction"
curve = results.run("stride_curve", measure.stride_curve)
expect(curve)

# %% id="sectors-map"
figures.sectors([1, 2, 8, 32])

# %% [markdown] lang="es" id="sectors-slider"
# Con paso 1 los 128 bytes pedidos llenan 4 sectores. Con paso 8 cada lane cae en un sector propio, y desde ahí ya no puede
# empeorar: con paso 32 viajan los mismos 32 sectores, solo que más lejos unos de otros. Mueve el paso y míralo a escala.

# %% [markdown] lang="en" id="sectors-slider"
# With stride 1 the 128 bytes asked for fill 4 sectors. With stride 8 each lane falls into a sector of its own, and from
# there on it cannot get worse: with stride 32 the same 32 sectors travel, only farther from each other. Move the stride and
# see it to scale.

# %% id="sectors-widget"
stride_slider(note=origin(CALCULATED))

# %% [markdown] lang="es" id="sectors-count"
# Ahora el kernel de verdad: el emulador lo ejecuta y cuenta. Si solo importaran los sectores, el tiempo sería lo que
# tardan los bytes que viajan, a la velocidad de la copia. Esa es la curva de la predicción.

# %% [markdown] lang="en" id="sectors-count"
# Now the real kernel: the emulator runs it and counts. If only sectors mattered, the time would be that of the bytes that
# travel at the speed of the copy. That is the curve of the prediction.

# %% id="sectors-curve"
N = 1024  # a size for the emulator: what one request touches does not depend on it
counted = {
    stride: count(kernels.strided_read, x=torch.randn(stride * N), out=torch.empty(N), stride=stride)
    for stride in (1, 2, 4, 8, 16, 32)
}
travel = {
    stride: 32 * (c.load_sectors + c.store_sectors) / N for stride, c in counted.items()
}  # bytes per result

figures.strides(curve, travel, ceilings)

# %% id="sectors-table"
counters = measure.counters(results)  # of the hardware, by Nsight Compute
tables.strides(curve, counted, travel, counters)

# %% [markdown] lang="es" id="sectors-why"
# **Qué ha pasado.** A partir de 8 la cuenta explica el tiempo: cada resultado arrastra un sector entero para usar 4 de
# sus 32 bytes. Un patrón de acceso es **coalescente** cuando los lanes vecinos leen palabras vecinas, y entonces una
# petición de 4 bytes por lane toca 4 sectores.
#
# Con paso 1 pasa otra cosa: los sectores son perfectos y aun así el kernel queda lejos del techo. Los sectores no pueden
# explicarlo. Guarda esa duda para la sección 3.

# %% [markdown] lang="en" id="sectors-why"
# **What happened.** From 8 on the count explains the time: each result drags a whole sector along to use 4 of its 32 bytes.
# An access pattern is **coalesced** when neighbouring lanes read neighbouring words, and then a request of 4 bytes per lane
# touches 4 sectors.
#
# At stride 1 something else is going on: the sectors are perfect and still the kernel stays far from the ceiling. Sectors
# cannot explain that. Keep the doubt for section 3.

# %% [markdown] lang="es" id="layout"
# ## 2. Disposición: el kernel lento que va a toda velocidad
#
# Nadie escribe un paso de 8 a propósito. Aparece sin buscarlo cuando los datos son estructuras de 32 bytes, una detrás de
# otra, y el kernel necesita un campo de cada una. La alternativa son **planos**: primero todos los campos 0, después todos
# los campos 1, y así hasta el 7. El cálculo es idéntico.

# %% [markdown] lang="en" id="layout"
# ## 2. Layout: the slow kernel that runs at full speed
#
# Nobody writes a stride of 8 on purpose. It comes by itself when the data are records of 32 bytes, one after another, and
# the kernel needs one field of each. The alternative is **planes**: first all the fields 0, then all the fields 1, and so
# on up to 7. The computation is the same.

# %% id="layout-prediction"
expect(layout)

# %% id="layout-figure"
records, out = torch.randn(N, 8), torch.empty(N)
planes = records.t().contiguous()
counted = {
    "records": count(kernels.records, packed=records, out=out),
    "planes": count(kernels.planes, packed=planes, out=out),
    "wide_planes": count(kernels.wide_planes, packed=planes, out=out),
}
travel = {name: 32 * (c.load_sectors + c.store_sectors) / N for name, c in counted.items()}

figures.layout_time(layout, travel)

# %% [markdown] lang="es" id="layout-reveal"
# Divide ahora los bytes que *viajan*, no los útiles, entre el mismo tiempo.

# %% [markdown] lang="en" id="layout-reveal"
# Now divide the bytes that *travel*, not the useful ones, by the same time.

# %% id="layout-traffic"
figures.layout_traffic(layout, travel, ceilings)

# %% [markdown] lang="es" id="layout-counters"
# ¿Tiene razón el emulador? Nsight Compute lee los contadores de la propia GPU. Son las mismas cantidades, así que deben
# coincidir; los bytes de la DRAM y lo ocupada que está, en cambio, solo los conoce el hardware.

# %% [markdown] lang="en" id="layout-counters"
# Is the emulator right? Nsight Compute reads the counters of the GPU itself. They are the same quantities, so they must
# agree; the bytes of DRAM and how busy it is, on the other hand, only the hardware knows.

# %% id="layout-counter-table"
tables.counted(counted, counters)

# %% [markdown] lang="es" id="layout-why"
# **Qué ha pasado.** El primer sospechoso no es lento: la memoria trabaja al límite, pero siete de cada ocho bytes que lee
# no le sirven a nadie. Ningún ajuste del kernel lo arregla; lo arregla **la disposición**. «Útil» y «movido» son dos
# preguntas distintas, y el contador de DRAM por sí solo habría dicho que todo va bien.
#
# ➜ Ejercicio [`coalesced_copy`](../../exercises/es/07_memory_access/exercises.ipynb): elige tú la disposición.
# Con GPU, `goodput.profile.ncu_python` te da estos contadores para cualquier kernel; si el controlador se niega, falta el
# permiso de la entrada L07-12 de la lista de verificación.

# %% [markdown] lang="en" id="layout-why"
# **What happened.** The first suspect is not slow: the memory works at its limit, but seven of every eight bytes that it
# reads are of no use to anyone. No tuning of the kernel repairs that; **the layout** does. “Useful” and “moved” are two
# different questions, and the DRAM counter alone would have said that all is well.
#
# ➜ Exercise [`coalesced_copy`](../../exercises/en/07_memory_access/exercises.ipynb): you choose the layout.
# With a GPU, `goodput.profile.ncu_python` gives you these counters for any kernel; if the driver refuses, the permission of
# entry L07-12 of the checklist is missing.

# %% [markdown] lang="es" id="width"
# ## 3. Ancho: sectores perfectos y aun así lento
#
# Vuelve la duda de la sección 1: una lectura con sectores perfectos que no llega al techo. Compara dos copias que mueven
# los mismos bytes en los mismos sectores, con accesos de 4 y de 16 bytes por hilo, y la descuantización de un bloque KV de
# `uint8` a `float32`, con un byte por hilo y con cuatro.
#
# **Predice:** las dos copias tocan los mismos sectores. ¿Tardarán lo mismo?

# %% [markdown] lang="en" id="width"
# ## 3. Width: perfect sectors and still slow
#
# Back to the doubt of section 1: a read with perfect sectors that does not reach the ceiling. Compare two copies that move
# the same bytes in the same sectors, with accesses of 4 and of 16 bytes per thread, and the dequantisation of a KV block
# from `uint8` to `float32`, with one byte per thread and with four.
#
# **Predict:** both copies touch the same sectors. Will they take the same time?

# %% id="width-prediction"
plain_copy = results.run("plain_copy", measure.plain_copy)
expect(dequant)

# %% id="width-figure"
x, out = torch.randn(2048), torch.empty(2048)
q = torch.randint(0, 256, (2048,), dtype=torch.uint8)
counted = {
    "copy_4": count(kernels.copy_4, x=x, out=out),
    "copy_16": count(kernels.copy_16, x=x, out=out),
    "dequant_bytes": count(kernels.dequant_bytes, q=q, out=out, scale=0.25, zero=64.5),
    "dequant_quads": count(kernels.dequant_quads, q=q, out=out, scale=0.25, zero=64.5),
}
kib = {"copy_4": 16, "copy_16": 16, "dequant_bytes": 10, "dequant_quads": 10}  # 8 or 5 bytes for each of 2048
requests = {name: (c.load_requests + c.store_requests) / kib[name] for name, c in counted.items()}

figures.width([plain_copy, dequant], requests, ceilings)


# %% id="width-table"
def machine(file, name):
    """The machine code of one kernel of this chapter."""
    return machine_code.sass(nvrtc.compile_cubin(kernels.cuda(file), "sm_90a").cubin, name)


code = {
    "copy_4": machine("lesson/plain_copy.cu", "copy_4"),
    "copy_16": machine("lesson/plain_copy.cu", "copy_16"),
    "dequant_bytes": machine("baselines/vector_dequant.cu", "vector_dequant"),
    "dequant_quads": machine("vector_dequant.cu", "vector_dequant"),
}
tables.width(counted, code, threads=2048)  # what a multiprocessor of an H200 holds

# %% id="width-counters"
tables.counted(counted, counters)

# %% [markdown] lang="es" id="width-why"
# **Qué ha pasado.** La memoria tarda en contestar, así que su ancho de banda solo se llena si hay muchos bytes en camino a
# la vez. Un multiprocesador mantiene en vuelo un número limitado de peticiones: si cada una trae 128 bytes, no alcanzan;
# si trae 512, sí. El ancho no cambia *qué* viaja, sino **cuánto trae cada petición** y cuántas instrucciones hay que emitir.
#
# Es el segundo sospechoso. Fíjate en la trampa de la descuantización: cuatro bytes de entrada son dieciséis de salida, y lo
# que conviene ensanchar es la escritura. Con 16 bytes de entrada por hilo cada uno tendría que escribir 64, y los accesos
# de lanes vecinos volverían a separarse.
#
# ➜ Ejercicio [`vector_dequant`](../../exercises/es/07_memory_access/exercises.ipynb).

# %% [markdown] lang="en" id="width-why"
# **What happened.** Memory takes its time to answer, so its bandwidth only fills if many bytes are on their way at once. A
# multiprocessor keeps a limited number of requests in flight: if each brings 128 bytes, they are not enough; if it brings
# 512, they are. Width does not change *what* travels, but **how much each request brings** and how many instructions must be
# issued.
#
# That is the second suspect. Mind the trap of dequantisation: four bytes of input are sixteen of output, and what is worth
# widening is the store. With 16 bytes of input per thread each would have to store 64, and the accesses of neighbouring
# lanes would drift apart again.
#
# ➜ Exercise [`vector_dequant`](../../exercises/en/07_memory_access/exercises.ipynb).

# %% [markdown] lang="es" id="tile"
# ## 4. Tile: cuando un lado siempre queda mal
#
# En una transposición, leer por filas obliga a escribir por columnas. No hay disposición que arregle los dos lados a la
# vez. **Predice:** no hay ni una operación que hacer, solo bytes que mover. ¿Qué lado estropea la versión directa y cuántos
# sectores cuesta?

# %% [markdown] lang="en" id="tile"
# ## 4. Tile: when one side always goes wrong
#
# In a transpose, reading by rows forces you to write by columns. No layout repairs both sides at once. **Predict:** there is
# not a single operation to do, only bytes to move. Which side does the direct version spoil, and how many sectors does that
# cost?

# %% id="tile-prediction"
expect(transpose)

# %% id="tile-figure"
x, out = torch.randn(64, 128), torch.empty(128, 64)
turned = {
    "transpose_naive": count(kernels.transpose_naive, x=x, out=out),
    "transpose_tile": count(kernels.transpose_tile, x=x, out=out),
    "transpose_padded": count(kernels.transpose_padded, x=x, out=out),
    "transpose_swizzled": count(kernels.transpose_swizzled, x=x, out=out),
    "transpose_tma": count(kernels.transpose_tma, x=x, out=out),
}
assert torch.equal(out, x.t())  # the emulator computes as well as it counts

figures.turns(transpose, turned, ceilings)

# %% id="tile-table"
tables.counted(turned, counters)

# %% [markdown] lang="es" id="tile-lines"
# El emulador también sabe qué línea paga. Primero la versión directa; después, la del tile.

# %% [markdown] lang="en" id="tile-lines"
# The emulator also knows which line pays. First the direct version; then, the one with the tile.

# %% id="tile-naive-listing"
listing(
    kernels.cuda("baselines/tiled_transpose.cu"),
    turned["transpose_naive"],
    lines=range(8, 14),
    note=origin(COUNTED),
)

# %% id="tile-tile-listing"
listing(
    kernels.cuda("tiled_transpose.cu"), turned["transpose_tile"], lines=range(12, 26), note=origin(COUNTED)
)

# %% [markdown] lang="es" id="tile-why"
# **Qué ha pasado.** La versión directa reparte cada escritura de un warp en 32 sectores. El tile deja que el warp lea una
# fila y escriba otra fila: el giro se hace en la memoria compartida, donde las columnas no cuestan sectores. Hace falta
# una barrera, porque cada hilo recoge lo que dejaron otros.
#
# Los sectores quedan perfectos y el tercer sospechoso sigue lejos del techo. El listado lo delata: la línea que lee la
# columna del tile necesita 32 pasadas.
#
# ➜ Ejercicio [`tiled_transpose`](../../exercises/es/07_memory_access/exercises.ipynb).

# %% [markdown] lang="en" id="tile-why"
# **What happened.** The direct version spreads each store of a warp over 32 sectors. The tile lets the warp read a row and
# write another row: the turn takes place in shared memory, where columns do not cost sectors. A barrier is needed, because
# each thread picks up what others left.
#
# The sectors are perfect now and the third suspect is still far from the ceiling. The listing gives it away: the line that
# reads the column of the tile needs 32 passes.
#
# ➜ Exercise [`tiled_transpose`](../../exercises/en/07_memory_access/exercises.ipynb).

# %% [markdown] lang="es" id="banks"
# ## 5. Bancos: 32 puertas y todos en fila ante la misma
#
# La memoria compartida tiene 32 bancos; la palabra `w` vive en el banco `w % 32` y cada banco entrega una palabra por
# pasada (*wavefront*). En un tile de 32 columnas, bajar por una columna es pedir 32 veces al mismo banco.
#
# **Predice:** ¿cuántas pasadas quedan si cada fila lleva 1 palabra de relleno? ¿Y con 2?

# %% [markdown] lang="en" id="banks"
# ## 5. Banks: 32 doors, and everybody queues at one
#
# Shared memory has 32 banks; word `w` lives in bank `w % 32` and each bank hands out one word per pass (*wavefront*). In a
# tile of 32 columns, going down a column means asking the same bank 32 times.
#
# **Predict:** how many passes are left if each row carries 1 word of padding? And with 2?

# %% id="banks-prediction"
banks = results.run("banks", measure.banks)
expect(banks)

# %% id="banks-map"
figures.column(5)

# %% [markdown] lang="es" id="banks-measure"
# Según la predicción de bytes y operaciones, este kernel no tendría de qué preocuparse: no toca la memoria global y apenas
# calcula. Un roofline no ve los bancos. Un microbenchmark sí: cada warp lee columnas del tile una y otra vez.

# %% [markdown] lang="en" id="banks-measure"
# By the prediction of bytes and operations this kernel would have nothing to worry about: it does not touch global memory and
# hardly computes. A roofline does not see banks. A microbenchmark does: each warp reads columns of the tile over and over.

# %% id="banks-figure"
out = torch.empty(256)
counted = {
    f"pad_{pad}": count(kernels.column_reads, out=out, pad=pad, mask=0, rounds=32) for pad in (0, 1, 2, 4, 8)
}
counted["swizzle"] = count(kernels.column_reads, out=out, pad=0, mask=31, rounds=32)

figures.banks(banks, counted)

# %% id="banks-table"
tables.banks(banks, counted, counters)

# %% [markdown] lang="es" id="banks-why"
# **Qué ha pasado.** Con filas de 33 palabras, cada fila empieza un banco más allá y la columna visita los 32. Con 2 de
# relleno solo visita 16 bancos, dos palabras en cada uno: rellenar no basta, hay que rellenar con un número impar. El
# *swizzle* consigue lo mismo sin gastar memoria: cambia de sitio la columna con un xor. Es lo que hace el TMA, que no
# puede dejar huecos.
#
# La aceleración medida se queda por debajo de 32. Sin conflictos, la memoria compartida contesta tan deprisa que lo que
# limita es emitir las demás instrucciones del bucle. Quitar un límite deja ver el siguiente.
#
# ➜ Ejercicio [`conflict_free_tile`](../../exercises/es/07_memory_access/exercises.ipynb); para el TMA, el
# opcional `tma_transpose`.

# %% [markdown] lang="en" id="banks-why"
# **What happened.** With rows of 33 words each row starts one bank further on, and the column visits all 32. With 2 of
# padding it only visits 16 banks, two words in each: padding is not enough, the padding must be odd. The *swizzle* gets the
# same without spending memory: it moves the column with an xor. That is what the TMA does, which cannot leave gaps.
#
# The measured speedup stays below 32. Without conflicts shared memory answers so fast that issuing the other instructions of
# the loop becomes the limit. Removing one limit uncovers the next.
#
# ➜ Exercise [`conflict_free_tile`](../../exercises/en/07_memory_access/exercises.ipynb); for the TMA, the optional
# `tma_transpose`.

# %% [markdown] lang="es" id="shuffles"
# ## 6. Shuffles: no escribas lo que ya tiene el vecino
#
# Sumar cada fila de una matriz. La versión de manual reúne 256 sumas parciales en memoria compartida y las junta por
# mitades, con una barrera por nivel. La otra da una fila a cada warp: los lanes se pasan los registros con `__shfl_xor_sync`.
#
# **Predice:** ambas leen lo mismo, una sola vez y con sectores perfectos. ¿Dónde se pierde el tiempo?

# %% [markdown] lang="en" id="shuffles"
# ## 6. Shuffles: do not write what your neighbour already has
#
# Sum each row of a matrix. The textbook version gathers 256 partial sums in shared memory and joins them by halves, with a
# barrier per level. The other gives one row to each warp: the lanes pass registers around with `__shfl_xor_sync`.
#
# **Predict:** both read the same, just once and with perfect sectors. Where is the time lost?

# %% id="shuffles-prediction"
row_sum = results.run("row_sum", measure.row_sum)
expect(row_sum)

# %% id="shuffles-figure"
x, total = torch.randn(8, 1024), torch.empty(8)
counted = {
    "row_sum_tree": count(kernels.row_sum_tree, x=x, total=total),
    "row_sum_warp": count(kernels.row_sum_warp, x=x, total=total),
}
shared = {
    name: (c.shared_load_requests + c.shared_store_requests) / 8 for name, c in counted.items()
}  # per row

figures.sums(row_sum, shared, ceilings)

# %% id="shuffles-table"
tables.instructions(
    {name: machine("lesson/row_sum.cu", name) for name in counted},
    {
        "BAR.SYNC": r"BAR\.SYNC",
        "LDS, STS": r"\b(?:LDS|STS)\b",
        "SHFL": r"\bSHFL\b",
        "LDG 128": r"LDG\.E\S*\.128",
    },
)

# %% id="shuffles-counters"
tables.counted(counted, counters)

# %% [markdown] lang="es" id="shuffles-why"
# **Qué ha pasado.** En cada nivel del árbol trabaja la mitad de los hilos que en el anterior, y todos esperan en la
# barrera; mientras tanto ese bloque no pide datos nuevos. Un warp no necesita barrera para hablar consigo mismo: cinco
# pasos bastan para que un lane conozca 32 sumas. Sé justo con el árbol: la otra versión también lee 16 bytes por acceso
# (`LDG 128` en la tabla), así que parte de la ganancia es de la sección 3.
#
# La versión por registros puede pasar de la línea de la copia. No es un error de medición: casi no escribe, y leer tiene
# su propio techo, algo más alto que el de leer y escribir por turnos. Un techo pertenece a un tipo de tráfico.
#
# ➜ Ejercicio [`warp_row_reduce`](../../exercises/es/07_memory_access/exercises.ipynb): suma y máximo a la vez.

# %% [markdown] lang="en" id="shuffles-why"
# **What happened.** At each level of the tree half as many threads work as at the one before, and all of them wait at the
# barrier; meanwhile that block asks for no new data. A warp needs no barrier to talk to itself: five steps are enough for
# a lane to know 32 sums. Be fair to the tree: the other version also reads 16 bytes per access (`LDG 128` in the table), so
# part of the gain belongs to section 3.
#
# The version through registers can pass the line of the copy. That is no measuring error: it hardly writes, and reading has
# a ceiling of its own, somewhat higher than that of reading and writing in turns. A ceiling belongs to a kind of traffic.
#
# ➜ Exercise [`warp_row_reduce`](../../exercises/en/07_memory_access/exercises.ipynb): sum and maximum at once.

# %% [markdown] lang="es" id="read-only"
# ## 7. Datos de solo lectura: 32 lanes preguntan lo mismo
#
# Un filtro de 17 coeficientes: `out[i]` suma `taps[k] * x[i + k]`. Todos los lanes leen el mismo coeficiente a la vez.
# Cuatro versiones: punteros simples, la ruta de solo lectura (`__ldg`, `__restrict__`), memoria constante, y memoria
# constante con cuatro resultados por hilo que comparten una ventana de registros.
#
# **Predice:** ¿cuántas lecturas ejecuta cada hilo por resultado en cada versión?

# %% [markdown] lang="en" id="read-only"
# ## 7. Read-only data: 32 lanes ask the same question
#
# A filter of 17 coefficients: `out[i]` sums `taps[k] * x[i + k]`. All lanes read the same coefficient at once. Four
# versions: plain pointers, the read-only path (`__ldg`, `__restrict__`), constant memory, and constant memory with four
# results per thread that share a window of registers.
#
# **Predict:** how many loads does each thread execute per result in each version?

# %% id="read-only-prediction"
fir = results.run("fir", measure.fir)
expect(fir)

# %% id="read-only-figure"
x, taps, out = torch.randn(N + 16), torch.randn(17), torch.empty(N)
counted = {
    "fir_plain": count(kernels.fir_plain, x=x, taps=taps, out=out),
    "fir_read_only": count(kernels.fir_read_only, x=x, taps=taps, out=out),
    "fir_constant": count(kernels.fir_constant, x=x, taps=taps, out=out),
    "fir_window": count(kernels.fir_window, x=x, taps=taps, out=out),
}
loads = {name: 32 * c.load_requests / N for name, c in counted.items()}  # one request serves the 32 lanes

figures.filters(fir, loads)

# %% id="read-only-table"
tables.instructions(
    {
        "fir_plain": machine("baselines/const_taps_fir.cu", "const_taps_fir"),
        "fir_read_only": machine("lesson/fir_read_only.cu", "fir_read_only"),
        "fir_constant": machine("const_taps_fir.cu", "const_taps_fir"),
        "fir_window": machine("variants/const_taps_fir__register_window.cu", "const_taps_fir"),
    },
    {"LDG": r"LDG\.E(?!\S*CONSTANT)", "LDG.CONSTANT": r"LDG\.E\S*CONSTANT", "c[0x3]": r"c\[0x3\]"},
)

# %% [markdown] lang="es" id="read-only-why"
# **Qué ha pasado.** Casi todas estas lecturas aciertan en la caché L1, así que la DRAM no se entera. Lo que se agota es el
# número de peticiones que la L1 atiende. La ruta de solo lectura cambia la instrucción, no la cuenta: sirve para que el
# compilador se atreva a reordenar. La memoria constante entrega una palabra a los 32 lanes como operando de la suma, sin
# lectura propia (`c[0x3]` en la tabla es el banco de constantes); a cambio, los 32 índices deben coincidir. Y la ventana
# ataca la otra mitad: reutiliza en registros lo que los resultados vecinos comparten. Su código tiene más lecturas que las
# que cuenta la figura porque incluye el camino del final, que casi ningún hilo ejecuta.
#
# ➜ Ejercicio opcional [`const_taps_fir`](../../exercises/es/07_memory_access/exercises.ipynb).

# %% [markdown] lang="en" id="read-only-why"
# **What happened.** Almost all of these loads hit the L1 cache, so DRAM does not notice. What runs out is the number of
# requests that L1 serves. The read-only path changes the instruction, not the count: it lets the compiler dare to reorder.
# Constant memory hands one word to the 32 lanes as an operand of the sum, without a load of its own (`c[0x3]` in the table
# is the bank of constants); in return, the 32 indices must be the same. And the window attacks the other half: it reuses in
# registers what neighbouring results share. Its code has more loads than the figure counts because it includes the path for
# the end, which hardly anyone executes.
#
# ➜ Optional exercise [`const_taps_fir`](../../exercises/en/07_memory_access/exercises.ipynb).

# %% [markdown] lang="es" id="prefetch"
# ## 8. Prelectura: calcular mientras llega lo siguiente
#
# Queda el cuarto sospechoso: RMSNorm con un solo bloque por multiprocesador, como en un kernel fusionado que necesita casi
# toda la memoria compartida. Pide una fila, la espera, calcula, la escribe y pide la siguiente. Sectores perfectos, accesos
# de 16 bytes, sin conflictos: nada de lo anterior lo explica.
#
# **Predice:** si las tres filas siguientes ya vienen en camino mientras se calcula una, ¿cuánto se gana?

# %% [markdown] lang="en" id="prefetch"
# ## 8. Prefetching: compute while the next one arrives
#
# The fourth suspect is left: RMSNorm with a single block per multiprocessor, as in a fused kernel that needs almost all of the
# shared memory. It asks for a row, waits for it, computes, writes it and asks for the next. Perfect sectors, accesses of 16
# bytes, no conflicts: nothing of the above explains it.
#
# **Predict:** if the next three rows are already on their way while one is computed, how much is gained?

# %% id="prefetch-prediction"
expect(norm)

# %% id="prefetch-figure"
x = torch.randn(
    32, 8192
).bfloat16()  # 16 rows for each of two multiprocessors: enough to see a ring in full flight
w, out = torch.randn(8192).bfloat16(), torch.empty_like(x)
counted = {
    "norm_waits": count(kernels.norm_waits, multiprocessors=2, x=x, w=w, out=out),
    "norm_ring": count(kernels.norm_ring, multiprocessors=2, x=x, w=w, out=out),
    "norm_bulk_ring": count(kernels.norm_bulk_ring, multiprocessors=2, x=x, w=w, out=out),
}
ahead = {  # the median over all waits; a kernel without asynchronous copies has none in flight
    name: c.typical_groups_in_flight or c.typical_bulk_copies_in_flight or 0 for name, c in counted.items()
}

figures.norms(norm, ahead, ceilings)

# %% id="prefetch-table"
tables.norms(norm, ceilings)

# %% [markdown] lang="es" id="prefetch-why"
# **Qué ha pasado.** La primera versión paga en cada fila el viaje completo de ida y vuelta a la memoria: la columna «µs más
# que la mejor» es casi toda esa espera. El anillo no acorta el viaje, lo esconde: cuando le toca a una fila, ya está. Las
# copias del TMA hacen lo mismo con un hilo que las encarga en lugar de 512.
#
# Y ahora, con toda franqueza, la sorpresa: **el kernel sencillo con ocupación completa iguala o gana a los tres.** Con
# varios bloques por multiprocesador, mientras uno espera otro calcula, y el hardware hace la prelectura por ti. El anillo
# se justifica cuando esa ocupación no se puede tener: tiles grandes, muchos registros, un kernel fusionado. Primero prueba
# lo sencillo.
#
# ➜ Ejercicio [`async_row_ring`](../../exercises/es/07_memory_access/exercises.ipynb).

# %% [markdown] lang="en" id="prefetch-why"
# **What happened.** The first version pays the whole round trip to memory for each row: the column “µs more than
# the best” is almost all that wait.
# The ring does not shorten the trip, it hides it: when a row's turn comes, it is there. The copies of the TMA do the same
# with one thread that orders them instead of 512.
#
# And now the honest surprise: **the simple kernel at full occupancy equals or beats all three.** With several blocks per
# multiprocessor, while one waits another computes, and the hardware prefetches for you. The ring pays when that occupancy
# cannot be had: large tiles, many registers, a fused kernel. Try the simple thing first.
#
# ➜ Exercise [`async_row_ring`](../../exercises/en/07_memory_access/exercises.ipynb).

# %% [markdown] lang="es" id="answer"
# ## La respuesta
#
# Cuatro arreglos en un dibujo, antes y después. Todos los puntos están muy a la izquierda del codo: a todos debería
# limitarlos la memoria, y la distancia vertical al techo es lo que ponía el código. La transposición no aparece porque no
# hace ni una operación; la tabla sí la incluye.

# %% [markdown] lang="en" id="answer"
# ## The answer
#
# Four repairs in one drawing, before and after. All the points are far to the left of the bend: the memory should limit every
# one of them, and the vertical distance to the roof is what the code added. The transpose is missing because it does not do a
# single operation; the table includes it.

# %% id="answer-roofline"
figures.under_the_roof(
    [
        (layout, "records"),
        (layout, "planes"),
        (dequant, "dequant_bytes"),
        (dequant, "dequant_quads"),
        (row_sum, "row_sum_tree"),
        (row_sum, "row_sum_warp"),
        (norm, "norm_waits"),
        (norm, "norm_ring"),
    ],
    ceilings,
)

# %% id="answer-table"
tables.before_and_after(
    [
        ("coalesced_copy", layout, "records", "planes"),
        ("vector_dequant", dequant, "dequant_bytes", "dequant_quads"),
        ("tiled_transpose", transpose, "transpose_naive", "transpose_tile"),
        ("conflict_free_tile", transpose, "transpose_tile", "transpose_padded"),
        ("warp_row_reduce", row_sum, "row_sum_tree", "row_sum_warp"),
        ("async_row_ring", norm, "norm_waits", "norm_ring"),
    ],
    ceilings,
)

# %% [markdown] lang="es" id="answer-rules"
# **¿Es la memoria o es el código?** Pregunta en este orden y para en la primera que falle:
#
# 1. *¿Cuántos bytes deben moverse, y cuánto tarda una copia de esos bytes?* Si ya estás ahí, es la memoria.
# 2. *¿Cuántos sectores por petición?* Más de 4 por cada 128 bytes pedidos: cambia la disposición o el reparto.
# 3. *¿Qué ancho tienen los accesos?* Sectores perfectos pero poca velocidad: 16 bytes por acceso.
# 4. *¿Cuántos wavefronts por acceso compartido?* Más de los que pide su ancho: relleno impar o swizzle.
# 5. *¿Cuántas instrucciones por resultado?* Lecturas repetidas, barreras: registros, shuffles, memoria constante.
# 6. *¿Qué hay en camino mientras se calcula?* Nada: más ocupación si cabe; si no cabe, prelectura.
#
# Antes de todo eso, una línea de tiempo dice qué kernel merece la pregunta: los contadores del kernel equivocado no
# ayudan a nadie.

# %% [markdown] lang="en" id="answer-rules"
# **Is it the memory or the code?** Ask in this order, and stop at the first that fails:
#
# 1. *How many bytes must move, and how long does a copy of those bytes take?* If you are there already, it is the memory.
# 2. *How many sectors per request?* More than 4 for every 128 bytes asked for: change the layout or who reads what.
# 3. *How wide are the accesses?* Perfect sectors but little speed: 16 bytes per access.
# 4. *How many wavefronts per shared access?* More than its width needs: odd padding or a swizzle.
# 5. *How many instructions per result?* Repeated loads, barriers: registers, shuffles, constant memory.
# 6. *What is on its way while you compute?* Nothing: more occupancy if it fits; if it does not, prefetching.
#
# Before all of that, a timeline says which kernel deserves the question: the counters of the wrong kernel help nobody.

# %% [markdown] lang="es" id="not-taught"
# ## Lo que esta lección no enseña
#
# - La multiplicación de matrices y la reutilización de datos entre bloques: capítulo 09. También el control de lo que se
#   queda en L2.
# - Copias a varios bloques a la vez (*multicast*) y la especialización de warps: capítulo 10.
# - La memoria de texturas, que en este campo apenas se usa.
# - El emulador cuenta accesos; no mide tiempo. Los aciertos de caché, la DRAM y los relojes solo los conoce una GPU.
#
# **Lista de verificación.** Esta lección cubre L07-02, L07-03, L07-12, L08-01, L08-02, L08-03, L08-04, L08-05, L08-10 y
# L08-12.

# %% [markdown] lang="en" id="not-taught"
# ## What this lesson does not teach
#
# - Matrix multiplication and data reuse between blocks: chapter 09. So is control over what stays in L2.
# - Copies to several blocks at once (*multicast*) and warp specialisation: chapter 10.
# - Texture memory, which is hardly used in this field.
# - The emulator counts accesses; it does not measure time. Cache hits, DRAM and clocks only a GPU knows.
#
# **Checklist.** This lesson covers L07-02, L07-03, L07-12, L08-01, L08-02, L08-03, L08-04, L08-05, L08-10 and L08-12.
