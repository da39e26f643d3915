# %% [markdown] lang="es"
# # 14 · Compilador de PyTorch, OpenAI Triton y backends de XLA: ejercicios
#
# Pones `@torch.compile` y tu función va un 2 % más rápido. ¿Qué ha hecho? A menudo, nada: encontró algo que no sabía
# compilar y dejó la función como estaba, sin decirlo. En el primer ejercicio quitas lo que lo detiene; en el segundo
# escribes el kernel tú.
#
# Cada ejercicio define una función. Escribe donde dice `YOUR CODE HERE`, ejecuta la celda y después la de comprobación.
# Sin GPU, los kernels de Triton se ejecutan en su intérprete con tamaños pequeños y se compilan para varias GPU; solo la
# velocidad queda sin medir. Si te atascas, `hint(no_graph_breaks)` da la primera pista y, cada vez que la pidas, la
# siguiente.

# %% [markdown] lang="en"
# # 14 · PyTorch compiler, OpenAI Triton and XLA backends: exercises
#
# You add `@torch.compile` and your function gets 2% faster. What did it do? Often nothing: it met something that it could
# not compile and left the function as it was, without a word. In the first exercise you remove what stops it; in the
# second you write the kernel yourself.
#
# Each exercise defines a function. Write where it says `YOUR CODE HERE`, run the cell and then the check cell. Without a
# GPU, Triton kernels run in its interpreter at small sizes and are compiled for several GPUs; only speed stays unmeasured.
# If you get stuck, `hint(no_graph_breaks)` gives the first hint and, each time you ask, the next one.

# %%
from grader.notebook import check, hint

# %% include="no_graph_breaks.py"

# %% include="triton_softmax.py"
