"""Broken and hostile notebooks of chapter 07, written into a folder as one cohort's uploads."""

from __future__ import annotations

import copy
import json
from pathlib import Path

from grader import course

CHAPTER = "07_memory_access"
CONTROL = "vector_dequant"  # its honest answer is graded in two of the notebooks
SMALL_CUDA = '''
from goodput.cuda import kernel, launch
SOURCE = r"""
extern "C" __global__ void {name}(const float* x, float* out, int n) {{
{body}
}}
"""
def {name}(x, out):
    launch(kernel(SOURCE, "{name}"), 1, 32, [x, out, out.numel()])
'''


def solution(name: str) -> str:
    return course.solution(course.task(name))


def function(name: str, body: str) -> str:
    return f"def {name}(*arguments):\n    {body}\n"


def hostile(sleep_s: str) -> dict[str, str]:
    """One notebook in which every answer but the control attacks the process it runs in."""
    return {
        CONTROL: "print('x' * (100 << 20))\n" + solution(CONTROL),
        "coalesced_copy": "while True:\n    pass\n",
        "tiled_transpose": f"import os, subprocess\nsubprocess.Popen(['sleep', '{sleep_s}'], start_new_session=True)\n"
                           "try:\n    while True:\n        os.fork()\nexcept OSError:\n    pass\nwhile True:\n    pass\n",
        "conflict_free_tile": function("conflict_free_tile", "block = bytearray(100 << 30)"),
        "warp_row_reduce": "raise SystemExit\n",
        "async_row_ring": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\nos.kill(0, signal.SIGKILL)\n",
        "const_taps_fir": "import os\nos._exit(0)\n",
        "tma_transpose": "import os, shutil\nfor place in ('/tmp', '/root', '/home', os.environ['PYTHONPATH'].split(':')[0]):\n"
                         "    shutil.rmtree(place, ignore_errors=True)\nopen('/usr/mine', 'w')\n",
    }  # fmt: skip


def careless() -> dict[str, str]:
    """One notebook of mistakes that people make, and a good answer that needs the learner's other cells."""
    first, rest = solution(CONTROL).split("\n", 1)
    assert "import" in first
    return {
        CONTROL: f"%pip install something\n{rest}",  # `first` is bound by a helper cell
        "coalesced_copy": "import torch\ntorch.cuda.synchronize()\n",
        "tiled_transpose": SMALL_CUDA.format(name="tiled_transpose", body="  while (1) out[0] = x[0];"),
        "conflict_free_tile": SMALL_CUDA.format(name="conflict_free_tile", body="  int i = threadIdx.x;\n  out[i] = x[i] +;"),
        "warp_row_reduce": "def warp_row_reduce(x, out):\n  return [\n",
        "async_row_ring": "%%bash\nrm -rf /\n",
        "const_taps_fir": solution(CONTROL),  # swapped between ids
        "tma_transpose": "raise ValueError('cut here')\n" + "#" * 400_000,
        "helpers": f"{first}\nx = 1 / 1",
    }  # fmt: skip


def book(answers: dict[str, str], lang: str = "es", kind: str = "exercises") -> dict:
    made = copy.deepcopy(course.notebook(kind, lang, CHAPTER))
    for cell in made["cells"]:
        if cell["id"] in answers:
            cell["source"] = answers[cell["id"]]
    if "helpers" in answers:
        mine = {"cell_type": "code", "id": "mine", "metadata": {}, "outputs": [], "execution_count": None}
        scratch = {**mine, "source": "q = scale = zero = out = undefined_name"}
        made["cells"][2:2] = [{**mine, "source": answers["helpers"]}, scratch]
    return made


def tampered() -> dict:
    """Locked cells and points changed, one answer cell twice, one deleted."""
    made = book({"coalesced_copy": "raise ValueError('kept')"}, "en")
    for cell in made["cells"]:
        if cell["id"].endswith("-check"):
            cell["source"] = "import os; os._exit(0)"
            cell["metadata"]["nbgrader"] |= {"points": 1000, "grade": False, "locked": False}
    index = next(i for i, c in enumerate(made["cells"]) if c["id"] == "coalesced_copy")
    made["cells"].insert(index, {**made["cells"][index], "source": "raise ValueError('first')"})
    made["cells"] = [c for c in made["cells"] if c["id"] != "vector_dequant"]
    return made


def format_3() -> dict:
    made = book({"coalesced_copy": "raise ValueError('old format')"})
    code = [dict(c) for c in made["cells"] if c["cell_type"] == "code"]
    cells = [{"input": c.pop("source"), **c} for c in code]
    return {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {},
        "worksheets": [{"cells": cells, "metadata": {}}],
    }


def write_all(folder: Path, sleep_s: str) -> None:
    texts = {
        "a_empty": "", "b_no_cells": '{"cells": [], "metadata": {}, "nbformat": 4}', "c_cut": json.dumps(book({}))[:5000],
        "d_other": json.dumps({"cells": [{"cell_type": "code", "id": "q1", "metadata": {}, "source": "x"}], "nbformat": 4}),
        "e_hostile": json.dumps(book(hostile(sleep_s))), "f_careless": json.dumps(book(careless(), "en")),
        "g_tampered": json.dumps(tampered()), "h_format_3": json.dumps(format_3()), "i_starter": json.dumps(book({})),
    }  # fmt: skip
    for name, text in texts.items():
        (folder / f"{name}.ipynb").write_text(text)
