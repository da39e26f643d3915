"""The command line: `goodput grade | check | hint | progress | calibrate | selftest | bench | lessons`.

Parses, calls, prints; decides nothing. Exit codes of `grade`: see report_exit.py (0 passed, 1 something failed, 2 unusable
input, 3 could not be graded).
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False,
                  help="Goodput: profile, solve, check.")  # fmt: skip
Chapter = Annotated[str | None, typer.Option("--chapter", help="chapter number or folder, e.g. 07")]
Exercise = Annotated[str | None, typer.Option("--exercise", help="one exercise by name")]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda")]
Lang = Annotated[str, typer.Option("--lang", help="es or en")]
Isolation = Annotated[str, typer.Option(help="auto, sandbox (required) or process (own answers only)")]


def _lang(lang: str) -> str:
    if lang not in ("es", "en"):
        raise typer.BadParameter("es or en", param_hint="--lang")
    return lang


def _refuse(error: Exception, lang: str) -> None:
    """Say why the run cannot start, with the remedy, and leave with code 3."""
    from grader.messages import why_not
    from grader.session import CannotGrade

    assert isinstance(error, CannotGrade)
    message = why_not(error.key, error.facts, lang)  # type: ignore[arg-type]
    typer.echo(" ".join(p for p in (message.headline, message.detail, message.next_step) if p), err=True)
    raise typer.Exit(3)


@app.command()
def grade(
    paths: Annotated[
        list[str] | None, typer.Argument(help="notebooks or folders; without any, --from")
    ] = None,
    chapter: Chapter = None,
    exercise: Exercise = None,
    origin: Annotated[str, typer.Option("--from", help="work, exercises, solutions or a path")] = "work",
    device: Device = "auto",
    lang: Lang = "es",
    isolation: Isolation = "auto",
    jobs: Annotated[int, typer.Option(help="exercises at a time on a CPU (0: one per core, at most 4)")] = 0,
    out: Annotated[Path, typer.Option(help="folder of report.json, junit.xml and index.html")] = Path(
        "build/grade"
    ),
) -> None:
    """Grade notebooks and write the report."""
    from grader import course, report, report_terminal, run
    from grader.report_exit import exit_code
    from grader.session import CannotGrade, open_session

    lang = _lang(lang)
    try:
        collected = run.collect(paths or [origin], lang, chapter, exercise)
    except course.CourseError as e:
        typer.echo(str(e), err=True)
        raise typer.Exit(2) from e
    try:
        with contextlib.ExitStack() as stack:
            progress = stack.enter_context(report_terminal.Progress(len(collected.jobs), lang))  # type: ignore[arg-type]
            first = stack.enter_context(open_session(device, isolation, progress=progress.step))
            count = (
                1
                if first.device == "cuda"
                else min(jobs or min(os.cpu_count() or 1, 4), max(1, len(collected.jobs)))
            )
            more = [
                stack.enter_context(open_session("cpu", isolation, progress=progress.step))
                for _ in range(count - 1)
            ]
            result = run.grade_all(collected, [first, *more], progress.done)
    except CannotGrade as e:
        _refuse(e, lang)
    written = report.write_all(result, out, lang)  # type: ignore[arg-type]
    report_terminal.print_report(result, lang)  # type: ignore[arg-type]
    typer.echo(str(written["index.html"]))
    raise typer.Exit(exit_code(result))


@app.command()
def check(
    exercise: Annotated[str, typer.Argument(help="name of the exercise")],
    file: Annotated[Path, typer.Argument(help="Python file that holds the answer cell")],
    device: Device = "auto",
    lang: Lang = "es",
    isolation: Isolation = "auto",
) -> None:
    """Grade one answer from a file."""
    from grader import course, latch
    from grader.controller import grade as grade_one
    from grader.intake import Answer
    from grader.report_notebook import notebook_text
    from grader.session import CannotGrade, open_session

    lang = _lang(lang)
    try:
        task = course.task(exercise)
        source = file.read_text("utf-8")
    except (course.CourseError, OSError, UnicodeDecodeError) as e:
        typer.echo(str(e), err=True)
        raise typer.Exit(2) from e
    try:
        with open_session(device, isolation) as session:
            session.keep_spares = False
            verdict = latch.apply(grade_one(Answer(task.name, source), task, session), session)
    except CannotGrade as e:
        _refuse(e, lang)
    typer.echo(notebook_text(verdict, lang))  # type: ignore[arg-type]
    codes = {"passed": 0, "unanswered": 0, "not_available": 0, "not_graded": 3, "review": 3}
    raise typer.Exit(codes.get(verdict.outcome, 1))


@app.command()
def hint(
    exercise: Annotated[str, typer.Argument(help="name of the exercise")],
    step: Annotated[int, typer.Option(help="which hint, 1 to 3")] = 1,
    lang: Lang = "es",
) -> None:
    """Show one hint of the ladder."""
    from grader import course

    try:
        ladder = course.hints(course.task(exercise), _lang(lang))
    except course.CourseError as e:
        typer.echo(str(e), err=True)
        raise typer.Exit(2) from e
    if not 1 <= step <= len(ladder):
        raise typer.BadParameter(f"1 to {len(ladder)}", param_hint="--step")
    typer.echo(f"{step}/{len(ladder)}  {ladder[step - 1]}")


@app.command()
def progress(
    lang: Lang = "es",
    out: Annotated[Path, typer.Option(help="folder of the last report")] = Path("build/grade"),
) -> None:
    """Where you stand: the last report, chapter by chapter."""
    from grader import report, report_terminal

    try:
        found = report.load(out / "report.json")
    except report.UnreadableReport as e:
        typer.echo(f"{e}. make grade", err=True)
        raise typer.Exit(2) from e
    report_terminal.print_report(found, _lang(lang))  # type: ignore[arg-type]


@app.command()
def calibrate(device: Device = "auto") -> None:
    """Measure this machine's ceilings (copy, matmul, launch, links, disk) and remember them."""
    from goodput import machine
    from grader.session import gpu_unusable

    chosen = "cuda" if device == "cuda" or (device == "auto" and gpu_unusable() is None) else "cpu"
    found = machine.calibrate(chosen, progress=lambda *what: typer.echo(" ".join(map(str, what)), err=True))
    typer.echo(str(found))


@app.command()
def selftest(
    chapter: Chapter = None,
    exercise: Exercise = None,
    device: Device = "auto",
    isolation: Isolation = "auto",
    out: Annotated[Path | None, typer.Option(help="write the matrix as JSON")] = None,
) -> None:
    """Check the course itself: starters, solutions, wrong and trivial answers."""
    from grader import selftest as invariants

    raise typer.Exit(invariants.run(chapter, exercise, device, isolation, out))


@app.command()
def bench(
    chapter: Chapter = None,
    exercise: Exercise = None,
    noise: Annotated[
        int, typer.Option(help="instead: this many verdicts of baseline and solution against the baseline")
    ] = 0,
    gpu: Annotated[int, typer.Option(help="which GPU")] = 0,
    out: Annotated[Path, typer.Option(help="result file")] = Path("build/bench.json"),
    remember: Annotated[
        list[Path] | None, typer.Option(help="instead: put result files into the recorded numbers")
    ] = None,
) -> None:
    """Measure baselines, solutions and variants on this GPU and write the table that README and lessons quote."""
    from grader import bench as benches
    from grader import evidence

    if remember:
        typer.echo(
            str(evidence.remember_noise(remember) if noise else [*map(evidence.remember_bench, remember)])
        )
        raise typer.Exit(0)

    raise typer.Exit(
        benches.run_noise(exercise, noise, gpu, out) if noise else benches.run(chapter, exercise, gpu, out)
    )


@app.command()
def lessons(
    chapter: Chapter = None,
    lang: Lang = "es",
    out: Annotated[Path, typer.Option(help="folder of the executed notebooks")] = Path("build/lessons"),
    record: Annotated[bool, typer.Option("--record", help="keep the outputs in notebooks/")] = False,
) -> None:
    """Run the lessons from top to bottom; 0: all reached their end, 1: one did not, 2: there is no such lesson."""
    from grader import lessons as books
    from grader.report_lessons import lesson_line

    lang = _lang(lang)
    found = books.lessons(lang, chapter)
    if not found:
        typer.echo(f"notebooks/{lang}/{chapter or '*'}: make notebooks", err=True)
        raise typer.Exit(2)
    stopped = False
    for path in found:
        ran = books.run(path, out / lang / path.name, lang)
        stopped |= ran.stopped is not None
        typer.echo(lesson_line(ran, lang))  # type: ignore[arg-type]
        if record and ran.stopped is None:
            books.keep(out / lang / path.name, path)
    typer.echo(str(out / lang))
    raise typer.Exit(1 if stopped else 0)


def main() -> None:
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
