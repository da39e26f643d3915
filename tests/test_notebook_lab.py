"""A real JupyterLab in a real browser: a learner opens the Spanish exercises, writes an answer and reads the verdict."""

from __future__ import annotations

import pytest
from notebook_kernel import CHAPTER

from grader import course
from tools import lab as make_lab

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1200)]
SCREENSHOTS = course.ROOT / "build" / "screenshots"  # kept: a person looks at them


@pytest.fixture
def page(tmp_path):
    """The learner's copy as `make lab` makes it, open in JupyterLab."""
    from jupyter_lab import Page, chromium, lab

    for room in ("exercises", "notebooks"):
        (tmp_path / room).symlink_to(course.ROOT / room)
    make_lab.copy_missing(tmp_path, "es")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with lab(tmp_path / "work" / "es", scratch) as server, chromium(scratch / "profile") as driver:
        yield Page(driver, server, f"{CHAPTER}/exercises.ipynb")


def test_a_learner_solves_an_exercise_and_reads_the_verdict(page):
    name = "conflict_free_tile"
    page.run("setup")
    page.wait_until_run("setup")

    page.run(name)
    page.run(f"{name}-check")
    assert f"hint({name})" in page.wait_for(f"{name}-check", "sin responder")
    page.photograph(f"{name}-check", SCREENSHOTS / "unanswered_light.png")

    page.paste(name, course.solution(course.task(name)))
    page.run(name)
    page.run(f"{name}-check")
    shown = page.wait_for(f"{name}-check", "superado")
    assert "Compara con la solución del curso" in shown and "5 / 5 puntos" in shown
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        page.theme(theme)
        page.photograph(f"{name}-check", SCREENSHOTS / f"passed_{theme.split()[-1].lower()}.png")
    page.unfold(f"{name}-check")
    assert "Por qué funciona" in page.shown(f"{name}-check")
    page.photograph(f"{name}-check", SCREENSHOTS / "solution_dark.png")
