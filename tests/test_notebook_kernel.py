"""A real kernel: what a check shows there, and that interrupts, crashes and dying kernels leave nothing behind."""

from __future__ import annotations

import psutil
import pytest
from notebook_kernel import CHAPTER, SETUP, Kernel, gone, with_descendants

from grader import course

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # several checks, each with a fresh server


@pytest.fixture
def kernel(tmp_path):
    """In a folder of the Spanish learner, as JupyterLab starts it."""
    started = Kernel(tmp_path / "work" / "es" / CHAPTER)
    assert started.run(SETUP) == ("ok", "")
    yield started
    started.end()


def solution(name):
    return course.solution(course.task(name))


def starter(name):
    return course.starter(course.task(name))


def test_one_cell_after_another(kernel):
    """What happens in one sitting, in one kernel: the server takes a while to start."""
    assert kernel.servers(), "the server starts with the setup cell"
    seen = []
    kernel.run(starter("vector_dequant"))
    status, shown = kernel.run("check(vector_dequant)", seen.append)
    assert status == "ok" and "sin responder" in shown and "hint(vector_dequant)" in shown
    assert seen[0] == "vector_dequant · preparando …", "something is shown at once"

    status, shown = kernel.run("hint(vector_dequant)")
    assert status == "ok" and shown.startswith("Pista 1/3")

    status, shown = kernel.run("def flatten(x):\n    return x\ncheck(flatten)")
    assert status == "ok" and "Ningún ejercicio de este curso se llama flatten" in shown

    status, shown = kernel.run("def vector_dequant(:\n    pass")
    assert status == "SyntaxError"

    before = kernel.servers()
    kernel.run(solution("conflict_free_tile"), cell_id="a")
    status, shown = kernel.run("check(conflict_free_tile)", seen.append)
    assert status == "ok" and "superado" in shown and "solutions/es/" in shown
    assert "conflict_free_tile · comprobando …" in seen

    kernel.run(starter("conflict_free_tile"), cell_id="a")
    status, shown = kernel.run("check(conflict_free_tile)")
    assert "sin responder" in shown, "a cell that ran again is what counts"
    assert kernel.servers() == before, "one server serves all checks"


def test_an_interrupted_check_leaves_nothing_running_and_the_next_one_works(kernel):
    kernel.run(solution("conflict_free_tile"))
    kernel.run(starter("vector_dequant"))
    running: list[psutil.Process] = []

    def interrupt(shown: str) -> None:
        if not running and ("compilando" in shown or "comprobando" in shown):
            running.extend(with_descendants(kernel.servers()))
            kernel.manager.interrupt_kernel()

    status, shown = kernel.run("check(conflict_free_tile)", interrupt)
    assert status == "Interrupted" and "Interrumpiste la comprobación" in shown
    assert "Traceback" not in shown and "background.py" not in shown
    assert len(running) > 1 and gone(running)
    status, shown = kernel.run("check(vector_dequant)")
    assert status == "ok" and "sin responder" in shown


def test_a_server_that_dies_in_a_check_says_so_once_and_is_started_again(kernel):
    kernel.run(solution("conflict_free_tile"))
    kernel.run(starter("vector_dequant"))
    killed: list[psutil.Process] = []

    def kill(shown: str) -> None:
        if not killed and ("compilando" in shown or "comprobando" in shown):
            killed.extend(kernel.servers())
            killed[0].kill()

    status, shown = kernel.run("check(conflict_free_tile)", kill)
    assert (
        status == "ok" and "se detuvo antes de responder (SIGKILL)" in shown and "Ejecuta otra vez" in shown
    )
    status, shown = kernel.run("check(vector_dequant)")
    assert status == "ok" and "sin responder" in shown


def test_a_server_that_died_between_checks_is_not_missed(kernel):
    kernel.run(starter("vector_dequant"))
    server = kernel.servers()[0]
    server.kill()
    assert gone([server])
    status, shown = kernel.run("check(vector_dequant)")
    assert status == "ok" and "sin responder" in shown


@pytest.mark.parametrize("how", ["asked", "killed"])
def test_the_server_ends_with_its_kernel_in_the_middle_of_a_check_too(tmp_path, how):
    kernel = Kernel(tmp_path / "work" / "en" / CHAPTER)
    kernel.run(SETUP)
    kernel.run(solution("conflict_free_tile"))
    running: list[psutil.Process] = []

    class Enough(Exception):
        pass

    def look(shown: str) -> None:
        if "compiling" in shown or "checking" in shown:
            running.extend(with_descendants(kernel.servers()))
            raise Enough

    with pytest.raises(Enough):
        kernel.run("check(conflict_free_tile)", look)
    kernel.end(now=how == "killed")
    assert len(running) > 1 and gone(running)
