# %% [markdown] lang="es" id="no_graph_breaks"
# ## 14.1 Un solo grafo · `no_graph_breaks`
#
# **Objetivo.** Expresar una decisión que depende de los datos de modo que toda la función quede en un solo grafo.
#
# **Tienes** esta función, que es correcta, y a la que `torch.compile` no mejora:
#
# ```python
# def original(x):
#     for _ in range(6):
#         if x.sum().item() > LIMIT:
#             x = x + 1
#         x = torch.sin(x) * 2.5 + 0.25
#         x = torch.cos(x) + x
#     return x
# ```
#
# **Escribes** (1 o 2 líneas) el primer paso de cada ronda, con el mismo
# resultado. La comprobación compila tu función y la original
# con `torch.compile`; para ver lo mismo que ella, ejecuta `torch.compile(no_graph_breaks, fullgraph=True)(x)`: cuando no
# puede hacer un solo grafo, lanza un error que dice por qué.
#
# **Terminas cuando** el resultado es el de la original, con sumas por debajo, por encima y justo en `LIMIT` y con un NaN
# en la entrada; el compilador ve exactamente 1 grafo, sin cortes, con la configuración de fábrica; y, en una GPU, recorres
# al menos 0,65 del camino (en escala logarítmica) entre la original compilada y la solución.
#
# **Tiempo:** 25 minutos. **Sin resolver**, la comprobación responde «Aún no hay respuesta».

# %% [markdown] lang="en" id="no_graph_breaks"
# ## 14.1 A single graph · `no_graph_breaks`
#
# **Goal.** Express a choice that depends on the data so that the whole function stays in a single graph.
#
# **Given:** this function, which is correct, and which `torch.compile` does not improve:
#
# ```python
# def original(x):
#     for _ in range(6):
#         if x.sum().item() > LIMIT:
#             x = x + 1
#         x = torch.sin(x) * 2.5 + 0.25
#         x = torch.cos(x) + x
#     return x
# ```
#
# **You write** (1 or 2 lines) the first step of each round, with the same result. The check compiles your function and the
# original with `torch.compile`; to see what it sees, run `torch.compile(no_graph_breaks, fullgraph=True)(x)`: when it
# cannot make a single graph, it raises an error that says why.
#
# **Done when** the result is that of the original, with sums below, above and exactly at `LIMIT` and with a NaN in the
# input; the compiler sees exactly 1 graph, without breaks, in its factory configuration; and, on a GPU, you cover at least
# 0.65 of the way (on a logarithmic scale) from the compiled original to the solution.
#
# **Time:** 25 minutes. **Unsolved**, the check answers “There is no answer yet”.

# %% role="answer" id="no_graph_breaks"
import torch

LIMIT = 1000.0


def no_graph_breaks(x):
    """Six rounds on x, float32 of any shape; a round adds 1 to every element while their sum is above LIMIT."""
    for _ in range(6):
        # BEGIN SOLUTION
        x = torch.where(x.sum() > LIMIT, x + 1, x)
        # END SOLUTION
        x = torch.sin(x) * 2.5 + 0.25
        x = torch.cos(x) + x
    return x


# %% role="check" id="no_graph_breaks" points="5+4"
check(no_graph_breaks)

# %% [markdown] role="hint" lang="es"
# ¿Qué línea de la original necesita el número en la CPU antes de poder seguir?

# %% [markdown] role="hint" lang="en"
# Which line of the original needs the number on the CPU before it can go on?

# %% [markdown] role="hint" lang="es"
# Mientras Python tenga que elegir el camino, el compilador tiene que parar. ¿Se pueden calcular los dos resultados y
# elegir después, elemento a elemento, sin preguntar a Python? La sección 2 de la lección cuenta los grafos de varias
# versiones; ojo con lo que significan «0 grafos».

# %% [markdown] role="hint" lang="en"
# As long as Python has to choose the way, the compiler has to stop. Can both results be computed, and chosen between
# afterwards, element by element, without asking Python? Section 2 of the lesson counts the graphs of several versions;
# mind what “0 graphs” means.

# %% [markdown] role="hint" lang="es"
# La comparación de un tensor con un número da otro tensor, también cuando es un solo valor. `torch.where` lo acepta como
# condición y lo extiende a todos los elementos. Escribe la comparación igual que la original: con un NaN, «mayor que» y
# «no menor o igual que» no son lo mismo.

# %% [markdown] role="hint" lang="en"
# Comparing a tensor with a number gives another tensor, also when it is a single value. `torch.where` takes it as its
# condition and extends it to all elements. Write the comparison as the original does: with a NaN, “greater than” and “not
# less than or equal to” are not the same.

# %% [markdown] role="why" lang="es"
# **Por qué funciona.** `.item()` trae un número a la CPU: espera a que la GPU termine y deja que Python decida. El
# compilador no puede seguir un camino que aún no se conoce, y corta el grafo. Aquí es peor: el corte cae dentro de un
# bucle `for`, y entonces Dynamo abandona la función entera y la ejecuta sin compilar. Cuenta 0 grafos, y un contador de
# cortes da −1: quien solo mira «cortes: ninguno» cree que todo va bien. Por eso el criterio pide exactamente 1 grafo.
#
# Con `torch.where` la decisión es un dato más. Se calcula `x + 1` aunque no haga falta, que es una suma por elemento
# dentro de un kernel que de todos modos lee y escribe `x`; a cambio desaparecen seis esperas por llamada y el compilador
# puede fusionar cada ronda.
#
# Otras formas que también dejan un grafo: `x + (x.sum() > LIMIT)`, o `torch.cond` cuando una de las ramas es cara y
# conviene no calcularla. Permitir los escalares en el grafo con `capture_scalar_outputs` no es una de ellas: quita el
# corte, pero la espera sigue ahí, dentro del grafo.

# %% [markdown] role="why" lang="en"
# **Why it works.** `.item()` brings a number to the CPU: it waits for the GPU to finish and lets Python decide. The
# compiler cannot follow a way that is not known yet, and breaks the graph. Here it is worse: the break falls inside a
# `for` loop, and then Dynamo gives up the whole function and runs it uncompiled. It counts 0 graphs, and a break counter
# says −1: whoever only looks at “breaks: none” believes that all is well. That is why the criterion asks for exactly 1
# graph.
#
# With `torch.where` the choice is one more piece of data. `x + 1` is computed even when it is not needed, which is one
# addition per element inside a kernel that reads and writes `x` anyway; in exchange, six waits per call disappear and the
# compiler can fuse each round.
#
# Other ways that leave one graph as well: `x + (x.sum() > LIMIT)`, or `torch.cond` where one of the branches is expensive
# and should rather not be computed. Allowing scalars in the graph with `capture_scalar_outputs` is not one of them: it
# removes the break, but the wait is still there, inside the graph.
