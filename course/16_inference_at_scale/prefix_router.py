# %% [markdown] lang="es" id="prefix_router"
# ## 16.1 Donde termina antes · `prefix_router`
#
# **Objetivo.** Enviar cada petición a la réplica donde *terminará* antes, contando a la vez la caché de
# prefijos y la cola.
#
# **Tienes** `request`, con `request.prompt` (tokens) y `request.blocks` (los nombres de sus bloques de 512
# tokens), y `view`, lo que se ve en ese momento: `view.now_s`, `view.seconds_per_token` y `view.replicas`. De
# cada réplica, `queued_s` son los segundos de trabajo que le quedan por los prompts ya recibidos y
# `cached_blocks` los bloques del principio de *este* prompt que ya tiene. Una réplica caída es `None`.
# Calcular un prompt cuesta `view.seconds_per_token` por cada token que no está en la caché; las réplicas
# atienden por orden de llegada.
#
# **Escribes** (unas 9 líneas) el cuerpo de `prefix_router`, que devuelve el índice de la réplica, o lanza
# `NoReplica` si no queda ninguna.
#
# **Terminas cuando** la media del tiempo hasta el primer token es al menos 1,3 veces menor que la del reparto
# por turnos (*round robin*) en `chat_turns`, 1,4 veces en `tool_turns` y 1,25 veces con otra flota, de 5
# réplicas más rápidas; cada número es la mediana de cinco semillas que no conoces. Ninguna petición va a una
# réplica caída.
#
# Para probar con tus propias semillas:
#
# ```python
# from goodput.serving.router_sim import Fleet, round_robin, simulate
# from goodput.traces import synth
#
# requests = synth("chat_turns", 2000, seed=0)
# turns = simulate(requests, round_robin(), Fleet())
# mine = simulate(requests, prefix_router, Fleet())
# print(turns.mean_ttft_s / mine.mean_ttft_s, mine.hit, mine.imbalance)
# ```
#
# **Tiempo:** 30 minutos. **Sin resolver**, la comprobación responde «Aún no hay respuesta».

# %% [markdown] lang="en" id="prefix_router"
# ## 16.1 Where it finishes first · `prefix_router`
#
# **Goal.** Send each request to the replica where it will *finish* first, counting prefix cache and queue
# together.
#
# **Given:** `request`, with `request.prompt` (tokens) and `request.blocks` (the names of its blocks of 512
# tokens), and `view`, what can be seen at that moment: `view.now_s`, `view.seconds_per_token` and
# `view.replicas`. Of each replica, `queued_s` is the seconds of work left from the prompts it has received,
# and `cached_blocks` the blocks at the start of *this* prompt that it already holds. A replica that is down
# is `None`. Computing a prompt costs `view.seconds_per_token` for every token that is not in the cache;
# replicas serve in order of arrival.
#
# **You write** (about 9 lines) the body of `prefix_router`, which returns the index of the replica, or raises
# `NoReplica` when none is left.
#
# **Done when** the mean time to first token is at least 1.3 times smaller than that of taking turns (*round
# robin*) on `chat_turns`, 1.4 times on `tool_turns` and 1.25 times with another fleet, of 5 faster replicas;
# each number is the median of five seeds that you do not know. No request goes to a replica that is down.
#
# To try it with seeds of your own:
#
# ```python
# from goodput.serving.router_sim import Fleet, round_robin, simulate
# from goodput.traces import synth
#
# requests = synth("chat_turns", 2000, seed=0)
# turns = simulate(requests, round_robin(), Fleet())
# mine = simulate(requests, prefix_router, Fleet())
# print(turns.mean_ttft_s / mine.mean_ttft_s, mine.hit, mine.imbalance)
# ```
#
# **Time:** 30 minutes. **Unsolved**, the check answers “There is no answer yet”.

# %% role="answer" id="prefix_router"
BLOCK = 512  # tokens


class NoReplica(Exception):
    """Every replica is down."""


def prefix_router(request, view):
    """Index of the replica that gets this request; view.replicas[i] is None where replica i is down."""
    # BEGIN SOLUTION
    best = None
    for index, replica in enumerate(view.replicas):
        if replica is None:
            continue
        uncached = max(0, request.prompt - BLOCK * replica.cached_blocks)  # tokens
        finish_s = replica.queued_s + uncached * view.seconds_per_token
        if best is None or finish_s < best[0]:
            best = (finish_s, index)
    if best is None:
        raise NoReplica("every replica is down")
    return best[1]
    # END SOLUTION


# %% role="check" id="prefix_router" points="8"
check(prefix_router)

# %% [markdown] role="hint" lang="es"
# ¿Qué dos cosas retrasan el primer token de una petición?

# %% [markdown] role="hint" lang="en"
# Which two things delay the first token of a request?

# %% [markdown] role="hint" lang="es"
# Una se mide en segundos de cola y la otra en bloques que ya están en la caché. ¿En qué unidad podrías
# sumarlas? Y si solo miras la caché, ¿qué le pasa a la réplica que todos prefieren? Todas las peticiones
# comparten el bloque 0. La sección 5 de la lección dibuja la cola de cada réplica con tres
# políticas.

# %% [markdown] role="hint" lang="en"
# One is measured in seconds of queue and the other in blocks that are already in the cache. In what unit
# could you add them? And if you only look at the cache, what happens to the replica that everybody likes? All
# requests share block 0. Section 5 of the lesson draws the queue of each replica under three policies.

# %% [markdown] role="hint" lang="es"
# Para cada réplica viva, toma los tokens del prompt, resta 512 por cada bloque que ya tiene, multiplica por
# los segundos por token y suma su cola. Quédate con el índice del menor, y que sea el índice en
# `view.replicas`, no en una lista de las vivas.

# %% [markdown] role="hint" lang="en"
# For each replica that is up: the tokens of the prompt minus 512 for every block that it already holds, times
# the seconds per token, plus its queue. Keep the index of the smallest, and let it be the index in
# `view.replicas`, not in a list of those that are up.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** Una caché ahorra segundos y una cola los cuesta: puestas en la misma unidad se pueden
# sumar, y la suma es justo lo que espera el usuario. La política no elige entre afinidad y balanceo de carga;
# paga cada cosa a su precio.
#
# Las que miran un solo lado fallan de maneras distintas. La de menor cola reparte bien y desperdicia la
# caché: cada conversación vuelve a calcular su contexto donde le toque. La del prefijo más largo acierta
# siempre en la caché y envía todo a una sola réplica, porque todos los prompts empiezan por el mismo bloque;
# su cola crece sin fin. La que fija cada conversación a una réplica con un hash conserva la caché, pero una
# conversación larga ocupa la suya mientras las vecinas esperan sin trabajo.
#
# El simulador deja fuera cosas que un enrutador de verdad tiene que tratar: la decodificación, que comparte
# la GPU, y la información atrasada. `queued_s` y `cached_blocks` llegan con retraso, y si muchos enrutadores
# ven la misma réplica libre, la llenan a la vez. Por eso los de producción corrigen lo que ven con lo que
# ellos mismos acaban de enviar.

# %% [markdown] role="why" lang="en"
# **Why it works.** A cache saves seconds and a queue costs them: put into the same unit they can be added,
# and the sum is just what the user waits. The policy does not choose between affinity and load balancing; it
# pays each at its price.
#
# Those that look at one side fail in different ways. The one with the smallest queue spreads well and throws
# the cache away: every conversation computes its context again wherever it lands. The one with the longest
# prefix always hits the cache and sends everything to a single replica, because all prompts begin with the
# same block; its queue grows without end. The one that ties each conversation to a replica by a hash keeps
# the cache, but a long conversation occupies its own while the neighbours wait without work.
#
# The simulator leaves out things that a real router has to deal with: decoding, which shares the GPU, and old
# news. `queued_s` and `cached_blocks` arrive late, and when many routers see the same idle replica they fill
# it together. That is why those in production correct for what they have just sent themselves.
