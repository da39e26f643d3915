"""Helper cells: the ones an answer needs travel with it, scratch cells that only share a name do not."""

from __future__ import annotations

import pytest

from grader.helpers import CellMagic, needed, without_checks, without_magics

ANSWER = "def f(x, out):\n    n = x.numel()\n    return g(x) + N\n"


def test_cells_are_taken_in_order_and_through_each_other() -> None:
    cells = ["N = 3", "unused = 1", "def g(x):\n    return x * K", "K = 2"]
    assert needed(ANSWER, cells) == [cells[0], cells[2], cells[3]]


def test_a_scratch_cell_that_binds_a_parameter_or_a_local_is_left_out() -> None:
    assert needed(ANSWER, ["x = torch.randn(4, device='cuda')", "n = 1 / 0", "out = undefined"]) == []


def test_the_last_definition_is_the_one_the_learner_saw() -> None:
    assert needed(ANSWER, ["N = 1", "N = 2"]) == ["N = 2"]


def test_a_cell_that_updates_a_name_brings_the_cell_it_started_from() -> None:
    assert needed(ANSWER, ["N = 1", "N = N + 1", "N = N * 2"]) == ["N = 1", "N = N + 1", "N = N * 2"]


def test_what_the_answer_defines_itself_is_not_looked_for() -> None:
    assert needed("N = 1\ndef g(x): return x\n" + ANSWER, ["N = 5", "def g(x): return 0"]) == []


@pytest.mark.parametrize("cell", [
    "import numpy as g", "from numpy import g", "if True:\n    def g(x): return x",
    "try:\n    import g\nexcept ImportError:\n    g = None", "class g: pass",
    "for g in [1]: pass", "with open('x') as g: pass", "g: int = 3", "g, h = 1, 2", "from numpy import *",
])  # fmt: skip
def test_every_way_to_bind_a_name_counts(cell: str) -> None:
    assert needed(ANSWER, [cell]) == [cell]


@pytest.mark.parametrize(
    "cell", ["def h():\n    g = 1", "[g for g in range(3)]", "h.g = 1", "lambda g: 1", "print('g = 1')"]
)
def test_names_inside_other_scopes_do_not_count(cell: str) -> None:
    assert needed(ANSWER, [cell]) == []


def test_comprehensions_lambdas_and_classes_have_their_own_names() -> None:
    answer = "def f(v):\n    class C:\n        k = 1\n    return [i for i in v] + (lambda j: j)(v) + outer\n"
    assert needed(answer, ["i = 1", "j = 2", "k = 3", "v = 4", "outer = 5"]) == ["outer = 5"]


def test_cells_that_cannot_be_read_bind_nothing() -> None:
    assert needed(ANSWER, ["N = (", "%%bash\nN=1", "N = 1\x00", "-" * 50_000 + "N"]) == []
    assert needed("def f(:", ["N = 1"]) == []


def test_many_names_in_many_cells_take_no_quadratic_time() -> None:
    cells = [
        "\n".join(f"n{c}_{i} = n{c - 1}_{i}" if c else f"n0_{i} = 1" for i in range(200)) for c in range(60)
    ]
    assert needed("def f():\n    return " + " + ".join(f"n59_{i}" for i in range(200)), cells) == cells


def test_only_lines_that_python_cannot_read_are_magics() -> None:
    source = (
        '%timeit f(1)\nSOURCE = r"""\nint k = a\n  % 32;\n!flag;\n"""\n!ls\nprint?\ndef f():\n    %time g()\n'
    )
    kept, found = without_magics(source)
    assert found and kept.count("\n") == source.count("\n")
    assert "  % 32;\n!flag;\n" in kept
    assert [line for line in kept.split("\n") if line.lstrip().startswith("pass")] == [
        "pass  # %timeit f(1)", "pass  # !ls", "pass  # print?", "    pass  # %time g()"]  # fmt: skip


@pytest.mark.parametrize("source", ["x = 1\n", "y = 5 % 3\n\n", "def f(:\n", "\x00", "(" * 999, ""])
def test_text_without_magics_is_left_alone(source: str) -> None:
    assert without_magics(source) == (source, False)


@pytest.mark.parametrize("source", ["%%bash\nls", "\n\n%%timeit\nx", "  %%html\n<b>"])
def test_a_cell_of_another_language_is_refused(source: str) -> None:
    with pytest.raises(CellMagic):
        without_magics(source)


def test_checks_at_the_top_level_are_taken_out_and_lines_stay() -> None:
    source = 'from grader.notebook import check\ndef f():\n    check(1)\ncheck(\n    f)\ns = "ñ"; check(f); y = 2\nhint("f")\n'
    kept = without_checks(source)
    assert kept == 'pass\ndef f():\n    check(1)\npass\n\ns = "ñ"; pass; y = 2\npass\n'
