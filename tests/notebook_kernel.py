"""For the tests of check cells: exercise notebooks with some answers filled in, and a kernel that runs cells one by one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import psutil
from jupyter_client.manager import start_new_kernel

from grader import course

CHAPTER = "07_memory_access"
SETUP = "from grader.notebook import check, hint"
WAIT_S = (
    240  # for one reply: a check takes seconds, on a machine that runs many tests at once tens of seconds
)
QUIET = ["--IPKernelApp.log_level=40"]


def environment() -> dict[str, str]:
    """A kernel's environment in which this checkout can be imported and nothing says the language."""
    search = os.pathsep.join(filter(None, [str(course.ROOT), os.environ.get("PYTHONPATH", "")]))
    kept = {
        name: value for name, value in os.environ.items() if name not in ("GOODPUT_LANG", "JPY_SESSION_NAME")
    }
    return kept | {"PYTHONPATH": search}


def exercise_notebook(root: Path, lang: str, solved: tuple[str, ...]) -> Path:
    """The learner's copy of chapter 07 under root/work/<lang>, with these answers filled in."""
    book = nbformat.read(course.ROOT / "exercises" / lang / CHAPTER / "exercises.ipynb", 4)
    for cell in book.cells:
        if cell.id in solved:
            cell.source = course.solution(course.task(cell.id))
    path = root / "work" / lang / CHAPTER / "exercises.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(book, path)
    return path


class Kernel:
    """A real kernel, started in `folder`."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.manager, self.client = start_new_kernel(
            kernel_name="python3",
            startup_timeout=WAIT_S,
            cwd=str(folder),
            env=environment(),
            extra_arguments=QUIET,
        )
        self.pid: int = self.manager.provisioner.pid

    def run(
        self, code: str, meanwhile: Callable[[str], Any] = lambda shown: None, cell_id: str | None = None
    ) -> Any:
        """Run a cell and return (status, what it shows at its end as text); `meanwhile` gets every display as it comes."""
        message = self.client.session.msg(
            "execute_request",
            {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False,
             "stop_on_error": True},
            metadata={"cellId": cell_id} if cell_id else {},
        )  # fmt: skip
        self.client.shell_channel.send(message)
        shown: dict[str, str] = {}
        status = "ok"
        while True:
            reply = self.client.get_iopub_msg(timeout=WAIT_S)
            if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            kind, content = reply["msg_type"], reply["content"]
            if kind == "status" and content["execution_state"] == "idle":
                break
            if kind in ("display_data", "update_display_data"):
                name = content.get("transient", {}).get("display_id") or f"display {len(shown)}"
                shown[name] = content["data"]["text/plain"]
                meanwhile(shown[name])
            elif kind == "stream":
                shown["stream"] = shown.get("stream", "") + content["text"]
            elif kind == "error":
                status = content["ename"]
                shown["error"] = "\n".join(content["traceback"])
        return status, "\n".join(shown.values())

    def servers(self) -> list[psutil.Process]:
        return [p for p in psutil.Process(self.pid).children() if "grader.serve" in p.cmdline()]

    def end(self, now: bool = False) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=now)


def with_descendants(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [*processes, *(child for p in processes for child in p.children(recursive=True))]


def gone(processes: list[psutil.Process]) -> bool:
    """Whether all of them end, given time."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        if not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes):
            return True
        time.sleep(0.2)
    return False
