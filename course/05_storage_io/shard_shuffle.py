# %% [markdown] lang="es" id="shard_shuffle"
# ## 5.1 Leer en orden, entregar barajado · `shard_shuffle`
#
# **Objetivo.** Guardar muchas muestras pequeñas de modo que una época las entregue barajadas con pocas lecturas, todas
# grandes.
#
# **Tienes** `samples`, un iterable de `bytes` que se recorre una sola vez y no cabe entero en la memoria permitida, y
# `folder`, una carpeta vacía. `SHARD_BYTES` y `WINDOW` son tamaños que funcionan; puedes cambiarlos. Cada proceso de
# entrenamiento es un `rank` de los `world` que hay, y llama a `epoch` por su cuenta, sin hablar con los demás.
#
# **Escribes** dos cuerpos:
#
# - `shard_shuffle(samples, folder)` (unas 11 líneas) guarda las muestras como quieras, en 64 archivos como máximo y con
#   1,1 veces los bytes de las muestras como máximo;
# - `epoch(folder, seed, rank, world)` (unas 28 líneas) entrega las muestras de ese `rank`. Entre todos entregan cada
#   muestra exactamente una vez, y dos procesos cualesquiera difieren en una muestra como mucho. El orden depende de
#   `seed`, y la misma semilla lo repite exactamente, también en otro proceso. Si a un archivo le falta el final, lanza
#   `ValueError` con el nombre del archivo y la posición donde se acaba: nunca entrega menos muestras sin avisar. Sin
#   índice, `FileNotFoundError`.
#
# **Terminas cuando**, con 10000 muestras (unos 31 MB):
#
# - una época usa menos de 0,1 lecturas por muestra, de 128 KiB o más de media, y lee como máximo 1,2 veces los bytes de
#   las muestras. Cuenta como lectura también cada página que hay que traer de un archivo mapeado en memoria;
# - ni al guardar ni al leer crece el proceso más de 16 MB;
# - una muestra se aleja de su sitio original, de media, al menos 0,2 veces la longitud de la época (en la mediana de 5
#   semillas), y en los tramos de 100 muestras entregadas no queda rastro del orden en que se escribieron: la correlación
#   de rangos, en valor absoluto, es 0,2 como máximo en la mediana de los tramos, con cada semilla.
#
# **Tiempo:** 40 minutos. **Sin resolver**, la comprobación responde «Aún no hay respuesta».

# %% [markdown] lang="en" id="shard_shuffle"
# ## 5.1 Read in order, deliver shuffled · `shard_shuffle`
#
# **Goal.** Store many small samples so that an epoch delivers them shuffled with few reads, all of them large.
#
# **Given:** `samples`, an iterable of `bytes` that can be walked only once and does not fit into the memory allowed, and
# `folder`, an empty folder. `SHARD_BYTES` and `WINDOW` are sizes that work; you may change them. Each training process is
# one `rank` of the `world` there are, and calls `epoch` on its own, without talking to the others.
#
# **You write** two bodies:
#
# - `shard_shuffle(samples, folder)` (about 11 lines) stores the samples as you like, in at most 64 files and with at most
#   1.1 times the bytes of the samples;
# - `epoch(folder, seed, rank, world)` (about 28 lines) delivers the samples of that `rank`. Together they deliver every
#   sample exactly once, and any two differ by one sample at most. The order depends on `seed`, and the same seed repeats
#   it exactly, in another process too. If the end of a file is missing it raises `ValueError` with the name of the file
#   and the position where it ends: it never delivers fewer samples without a word. Without an index,
#   `FileNotFoundError`.
#
# **Done when**, with 10000 samples (some 31 MB):
#
# - an epoch takes fewer than 0.1 reads per sample, of 128 KiB or more on average, and reads at most 1.2 times the bytes of
#   the samples. Every page that has to be fetched for a memory-mapped file counts as a read as well;
# - neither storing nor reading makes the process grow by more than 16 MB;
# - a sample moves away from its original place by at least 0.2 times the length of the epoch on average (in the median of
#   5 seeds), and within stretches of 100 delivered samples no trace is left of the order in which they were written: the
#   rank correlation, in absolute value, is at most 0.2 in the median of the stretches, for each seed.
#
# **Time:** 40 minutes. **Unsolved**, the check answers “There is no answer yet”.

# %% role="answer" id="shard_shuffle"
import itertools
import json
import os
import random

SHARD_BYTES = 512 << 10  # what one read brings
WINDOW = 4  # shards in memory at the same time


def shard_shuffle(samples, folder):
    """Store samples, which come once and in order, in at most 64 files of folder."""
    # BEGIN SOLUTION
    shards, filled = [[]], 0  # of each shard, the lengths of its samples
    with open(os.path.join(folder, "samples.bin"), "wb") as file:
        for sample in samples:
            if filled >= SHARD_BYTES:
                shards.append([])
                filled = 0
            file.write(sample)
            shards[-1].append(len(sample))
            filled += len(sample)
    with open(os.path.join(folder, "index.json"), "w") as file:
        json.dump(shards, file)
    # END SOLUTION


def epoch(folder, seed, rank, world):
    """Yield the samples of one rank; all ranks together yield every sample once, in an order drawn from seed."""
    if world < 1 or not 0 <= rank < world:
        raise ValueError(f"there is no rank {rank} among {world}")
    # BEGIN SOLUTION
    with open(os.path.join(folder, "index.json")) as file:
        shards = json.load(file)
    starts = [0, *itertools.accumulate(map(sum, shards))]  # bytes
    rng = random.Random(seed)  # the same on every rank
    order = list(range(len(shards)))
    rng.shuffle(order)
    total = sum(map(len, shards))
    first, last = total * rank // world, total * (rank + 1) // world  # in the order of the shuffled shards
    mine, seen = [], 0
    for shard in order:
        lengths = shards[shard]
        low, high = max(first - seen, 0), min(last - seen, len(lengths))
        if low < high:
            mine.append((starts[shard] + sum(lengths[:low]), lengths[low:high]))
        seen += len(lengths)
    with open(os.path.join(folder, "samples.bin"), "rb", buffering=0) as file:
        for step in range(0, len(mine), WINDOW):
            window = []
            for offset, lengths in mine[step : step + WINDOW]:
                data = os.pread(file.fileno(), sum(lengths), offset)
                if len(data) < sum(lengths):
                    raise ValueError(f"{file.name} ends at byte {offset + len(data)}, before its samples do")
                at = 0
                for length in lengths:
                    window.append(data[at : at + length])
                    at += length
            rng.shuffle(window)
            yield from window
    # END SOLUTION


# %% role="check" id="shard_shuffle" points="10"
check(shard_shuffle)

# %% [markdown] role="hint" lang="es"
# ¿Qué prefiere el disco: diez mil peticiones pequeñas o cien grandes? ¿Y cuánto azar hace falta en el orden para
# entrenar bien?

# %% [markdown] role="hint" lang="en"
# What does the disk like: ten thousand small requests or a hundred large ones? And how random must an order be to train
# well?

# %% [markdown] role="hint" lang="es"
# Baraja dos veces: los trozos grandes entre sí, y las muestras de los pocos trozos que tienes en memoria. ¿Qué decisión
# tienen que compartir todos los procesos, y cuál puede tomar cada uno? La sección 2 de la lección compara las
# disposiciones. Para repartir sin que sobre nada, numera las muestras en el orden de los trozos barajados: ¿dónde empieza
# y dónde termina la parte de cada `rank`?

# %% [markdown] role="hint" lang="en"
# Let chance in twice: into the order of the large pieces, and into the samples of the few pieces that you hold in memory.
# Which decision must all processes share, and which may each take for itself? Section 2 of the lesson compares the
# layouts. To share out without a remainder, number the samples in the order of the shuffled pieces: where does the part of
# each `rank` begin and end?

# %% [markdown] role="hint" lang="es"
# Un archivo con todas las muestras seguidas y otro con sus longitudes, agrupadas por trozos, bastan. En `epoch`,
# `random.Random(seed)` sortea un orden de los trozos; el `rank` se queda con las muestras de `total * rank // world` a
# `total * (rank + 1) // world`, de modo que puede tocarle medio trozo; y `os.pread` trae de una vez su parte de cada
# trozo. Compara cuánto trajo con cuánto pediste.

# %% [markdown] role="hint" lang="en"
# One file with all samples in a row and another with their lengths, grouped by piece, are enough. In `epoch`,
# `random.Random(seed)` draws an order of the pieces; the `rank` keeps the samples from `total * rank // world` to
# `total * (rank + 1) // world`, so it may get half a piece; and `os.pread` brings its share of each one in one go.
# Compare how much came with how much you asked for.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** Cada petición al disco paga un precio fijo (la llamada al sistema, la cola, el propio
# dispositivo) y otro por byte. Con muestras de 3 KB manda el fijo; con 512 KiB casi desaparece. Barajar no obliga a
# leer muestra a muestra: el azar entre trozos es gratis, porque un trozo grande se lee igual de bien esté donde esté, y
# el azar dentro de la ventana ocurre en memoria.
#
# Lo que se pierde es poco y se puede decir cuánto. Dos muestras vecinas al escribir caen en la misma ventana, así que una
# ventana solo ve unos pocos trozos: si los datos se escribieron ordenados por tema, una ventana de 4 trozos mezcla 4
# temas. Por eso conviene mezclar una vez antes de escribir y tener muchos más trozos que ventanas.
#
# Aquí todo está a escala: 31 MB en trozos de 512 KiB. En un conjunto de datos de verdad los trozos son de decenas de
# MB, porque el almacenamiento de objetos cobra la ida y vuelta por petición, y el índice deja de ser un JSON. Lo demás
# sigue igual: la semilla es lo único que comparten los procesos, cada uno calcula por su cuenta qué le toca, y un
# archivo cortado es un error y no una época más corta. Los repartos que descartan el resto acaban todos a la vez, pero,
# si el orden de los trozos no cambia, esconden al modelo siempre las mismas muestras.

# %% [markdown] role="why" lang="en"
# **Why it works.** Every request to the disk pays a fixed price (the system call, the queue, the device itself) and
# another one per byte. With samples of 3 KB the fixed one rules; with 512 KiB it all but vanishes. Shuffling does not
# force you to read bit by bit: chance among pieces is free, since a large piece reads just as well wherever it lies, and
# chance within the window happens in memory.
#
# What is lost is little and can be stated. Two samples that were neighbours when written fall into the same window, so a
# window sees only a few pieces: if the data was written sorted by topic, a window of 4 pieces mixes 4 topics. That is why
# it pays to mix once before writing and to have many more pieces than windows hold.
#
# Everything here is to scale: 31 MB in pieces of 512 KiB. In a real data set the pieces are tens of MB, because object
# storage charges the round trip per request, and the index is no longer a JSON. The rest stays: the seed is all that the
# processes share, each can compute alone what is its own, and a truncated file is an error and not a shorter epoch.
# Schemes that drop the remainder all end at the same time, but when the order of the pieces does not change they hide
# the same samples from the model for ever.
