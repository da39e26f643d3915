# %% [markdown] lang="es"
# # 16 · Inferencia a escala: ejercicios
#
# Ocho réplicas del mismo modelo, cada una con su caché de prefijos y su cola. La petición que acaba de llegar
# repite el contexto de una conversación que atendió la réplica 3, que ahora está ocupada. ¿A dónde la envías?
#
# Cada ejercicio define una función. Escribe donde dice `YOUR CODE HERE`, ejecuta la celda y después la de
# comprobación. Aquí decides tú y el tiempo lo lleva un simulador: con la misma semilla el resultado es siempre
# el mismo. Si te atascas, `hint(prefix_router)` da la primera pista y, cada vez que la pidas, la siguiente.

# %% [markdown] lang="en"
# # 16 · Inference at scale: exercises
#
# Eight replicas of the same model, each with its prefix cache and its queue. The request that has just
# arrived repeats the context of a conversation that replica 3 served, and replica 3 is busy now. Where do you
# send it?
#
# Each exercise defines a function. Write where it says `YOUR CODE HERE`, run the cell and then the check
# cell. Here you decide and a simulator keeps the time: for one seed the result is always the same. If you get
# stuck, `hint(prefix_router)` gives the first hint and, each time you ask, the next one.

# %%
from grader.notebook import check, hint

# %% include="prefix_router.py"
