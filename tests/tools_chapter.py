"""A small made-up chapter for the tests of tools/: one Python exercise, one with a CUDA file, a lesson.

`write(root)` lays it out under a root; `edit` changes one file and insists that the old text is there once.
"""

from __future__ import annotations

from pathlib import Path

CHAPTER = "03_made_up"

GLOSSARY = """
[terms]
"shared memory" = "memoria compartida"
"thread" = "hilo"
[keep]
warp = ["urdimbre"]
batch = ["lote"]
"""

HEAD = """# %% [markdown] lang="es"
# # 3 · Un capítulo inventado

# %% [markdown] lang="en"
# # 3 · A made-up chapter

# %%
from grader.notebook import check, hint

# %% include="double.py"
# %% [markdown] lang="es"
# ## Extra
# %% [markdown] lang="en"
# ## Extra
# %% include="scale_cuda.py"
"""

DOUBLE = '''# %% [markdown] lang="es" id="double"
# ## 3.1 El doble · `double`
#
# Escribes unas 2 líneas. Un warp tiene 32 hilos y espera 1,5 us.

# %% [markdown] lang="en" id="double"
# ## 3.1 Twice · `double`
#
# You write about 2 lines. A warp has 32 threads and waits 1.5 us.

# %% role="answer" id="double"
import math


def double(x):
    """Twice x."""
    # BEGIN SOLUTION
    y = math.fsum([x, x])
    return y
    # END SOLUTION


# %% role="check" id="double" points="4+4"
check(double)
'''

LADDER = "".join(
    f"""
# %% [markdown] role="{role}" lang="es"
# {es}

# %% [markdown] role="{role}" lang="en"
# {en}
"""
    for role, es, en in (
        ("hint", "¿Qué es el doble?", "What is twice?"),
        ("hint", "Es una suma. Lee la sección 1.", "It is a sum. Read section 1."),
        ("hint", "Suma `x` consigo mismo.", "Add `x` to itself."),
        ("why", "Porque $x + x = 2x$.", "Because $x + x = 2x$."),
    )
)

SCALE = """# %% [markdown] lang="es" id="scale_cuda"
# ## 3.2 A escala
# %% [markdown] lang="en" id="scale_cuda"
# ## 3.2 To scale
# %% role="answer" id="scale_cuda"
from goodput.cuda import kernel, launch

SOURCE = include("scale_cuda.cu")


def scale_cuda(x, out):
    launch(kernel(SOURCE, "scale_cuda"), 1, 32, [x, out])


# %% role="check" id="scale_cuda" points="7.5"
check(scale_cuda)
"""

SCALE_CU = """extern "C" __global__ void scale_cuda(const float* x, float* out) {
  const int i = threadIdx.x;
  if (i < 32) {
    // BEGIN SOLUTION
    out[i] = 2.f * x[i];  // a backslash \\n stays
    // END SOLUTION
  }
}
"""

LESSON = """# %% [markdown] lang="es"
# # Una lección
# %% [markdown] lang="en"
# # A lesson
# %% tags=["parameters"] id="sizes"
n = 4
# %%
n + 1
# %%
n + 2
"""


def write(root: Path) -> Path:
    """Lay the chapter out under root/course; returns its folder."""
    folder = root / "course" / CHAPTER
    folder.mkdir(parents=True)
    (root / "course" / "glossary.toml").write_text(GLOSSARY, encoding="utf-8")
    texts = {
        "exercises.py": HEAD,
        "double.py": DOUBLE + LADDER,
        "scale_cuda.py": SCALE + LADDER,
        "scale_cuda.cu": SCALE_CU,
        "chapter.py": LESSON,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def edit(file: Path, old: str, new: str) -> None:
    """Replace the one occurrence of `old`."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, (file.name, old, text.count(old))
    file.write_text(text.replace(old, new), encoding="utf-8")
