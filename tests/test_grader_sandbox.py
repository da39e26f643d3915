"""The two lists of `sandbox.py`, proven from inside: what an answer can see, reach, write and use up."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from grader_inside import LIMIT_S, children_of_ours, groups_of_ours, inside, need_sandbox, running_with

from grader import course, sandbox
from grader.limits import Limits
from grader.processes import AnswerDied, AnswerError, Process

MARK = "goodput-secret-of-the-controller"


@pytest.fixture(autouse=True)
def sandboxed() -> None:
    need_sandbox()


@pytest.fixture(scope="module")
def seen() -> dict:
    """One look around from inside."""
    need_sandbox()
    before, os.environ["GOODPUT_TEST_SECRET"] = os.environ.get("GOODPUT_TEST_SECRET"), MARK
    try:
        return inside("""
            import os, pathlib
            # before anything else is opened: what this process was started with
            open_files = {int(fd): os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
                          if os.path.exists(f"/proc/self/fd/{fd}") or os.path.islink(f"/proc/self/fd/{fd}")}
            processes, environments = [], b""
            for p in pathlib.Path("/proc").iterdir():
                if p.name.isdigit():
                    processes.append((p / "cmdline").read_bytes().replace(b"\\0", b" ").decode())
                    try:
                        environments += (p / "environ").read_bytes()
                    except OSError:
                        pass
            status = dict(line.split(":", 1) for line in open("/proc/self/status").read().splitlines())
            return {"files": open_files, "processes": processes, "environments": environments, "status": status,
                    "environment": dict(os.environ), "ids": (os.getuid(), os.geteuid(), os.getgid(), os.getgroups()),
                    "host": os.uname().nodename, "cwd": os.getcwd(), "links": os.listdir("/sys/class/net") if
                    os.path.exists("/sys/class/net") else []}
        """)  # fmt: skip
    finally:
        os.environ.pop("GOODPUT_TEST_SECRET")
        if before is not None:
            os.environ["GOODPUT_TEST_SECRET"] = before


def test_it_runs_as_nobody_without_capabilities(seen: dict) -> None:
    assert seen["ids"][:3] == (65534, 65534, 65534) and 0 not in seen["ids"][3]
    status = {k: v.strip() for k, v in seen["status"].items()}
    assert {status[k] for k in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"
    assert (seen["host"], seen["cwd"]) == ("sandbox", "/tmp")


def test_it_sees_only_its_own_processes(seen: dict) -> None:
    assert all("grader.worker" in line for line in seen["processes"]) and len(seen["processes"]) <= 2


def test_nothing_of_the_controllers_environment_or_command_line_is_there(seen: dict) -> None:
    assert MARK not in str(seen) and b"pytest" not in seen["environments"]
    assert not any("pytest" in line for line in seen["processes"])
    assert set(seen["environment"]) <= {
        "PATH", "HOME", "TMPDIR", "LANG", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "OMP_NUM_THREADS",
        "MKL_NUM_THREADS", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "TORCHINDUCTOR_COMPILE_THREADS",
        "USER", "LOGNAME", "XDG_CACHE_HOME", "CUDA_CACHE_DISABLE", "PWD",
        "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "LD_LIBRARY_PATH", "LC_CTYPE"}  # fmt: skip


def test_it_holds_its_three_streams_and_the_channel_and_nothing_else(seen: dict) -> None:
    files = {fd: target for fd, target in seen["files"].items() if not target.startswith("/proc/")}
    assert set(files) >= {0, 1, 2} and len(files) == 4
    assert files[0] == "/dev/null" and files[1] == files[2] and files[1].startswith("pipe:")
    assert [target.split(":")[0] for fd, target in files.items() if fd > 2] == ["socket"]


def test_home_repository_and_other_submissions_cannot_be_read() -> None:
    root = course.ROOT
    chapter = root / "course" / course.chapters()[0]
    closed = [root / ".git" / "HEAD", chapter / "tasks.py", root / "grader" / "judge.py", root / "grader" / "controller.py",
              root / "solutions", root / "course", root / "tests", root / "pyproject.toml", root / "work", root / "build",
              Path.home() / ".bashrc", Path.home() / ".cache", Path.home() / ".ssh", Path("/etc/passwd"), Path("/etc/shadow"),
              Path("/home"), Path("/var"), Path("/mnt"), Path("/sys/fs"), Path("/proc/1/root/etc/passwd")]  # fmt: skip
    assert inside("""
        import os
        found = []
        for path in a[0]:
            try:
                os.listdir(path) if os.path.isdir(path) else open(path).read()
                found.append(path)
            except OSError:
                pass
        return found
    """, [str(p) for p in closed]) == []  # fmt: skip


def test_only_the_modules_of_a_worker_are_there() -> None:
    modules = inside("import os\nreturn sorted(os.listdir(a[0]))", str(course.ROOT / "grader"))
    assert modules == sorted(sandbox.WORKER_FILES)


def test_there_is_no_network_and_no_loopback_of_the_host() -> None:
    with socket.socket() as listening, socket.socket(socket.AF_UNIX) as abstract:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        abstract.bind(f"\0{MARK}-{os.getpid()}")
        abstract.listen()
        reached = inside("""
            import socket
            found = []
            for family, address in ((socket.AF_INET, ("127.0.0.1", a[0])), (socket.AF_INET, ("1.1.1.1", 53)),
                                    (socket.AF_INET6, ("::1", a[0])), (socket.AF_UNIX, "\\0" + a[1])):
                try:
                    with socket.socket(family) as s:
                        s.settimeout(5)
                        s.connect(address)
                    found.append(str(address))
                except OSError:
                    pass
            try:
                found.append(socket.gethostbyname("example.com"))
            except OSError:
                pass
            return found
        """, listening.getsockname()[1], f"{MARK}-{os.getpid()}")  # fmt: skip
    assert reached == []


def test_nothing_outside_tmp_and_shared_memory_can_be_written() -> None:
    ours = [
        str(p) for p in (course.ROOT, course.ROOT.parent, course.ROOT / "goodput", course.ROOT / "grader")
    ]
    places = ["/", "/dev", "/usr", "/usr/bin", "/etc", "/proc", "/proc/sys/kernel", os.path.dirname(os.__file__), *ours,
              "/root", "/tmp", "/tmp/home", "/dev/shm"]  # fmt: skip
    written = inside("""
        import os
        found = []
        for place in a[0]:
            try:
                with open(os.path.join(place, "mine"), "w") as f:
                    f.write("x")
                found.append(place)
            except OSError:
                pass
        for path in ("/usr/bin/env", a[1]):
            try:
                open(path, "a")
                found.append(path)
            except OSError:
                pass
        return found
    """, places, str(course.ROOT / "grader" / "worker.py"))  # fmt: skip
    # a checkout below /tmp has its folders in the private /tmp, empty but for what is bound
    assert [p for p in written if not p.startswith("/tmp/") or p == "/tmp/home"] == [
        "/tmp",
        "/tmp/home",
        "/dev/shm",
    ]


def test_what_one_answer_leaves_in_tmp_the_next_one_does_not_find() -> None:
    inside("""
        import os
        os.makedirs("/tmp/triton")
        open("/tmp/triton/x", "w").write("x")
        open("/tmp/sitecustomize.py", "w").write("1/0")
    """)
    bound = {course.ROOT.relative_to("/tmp").parts[0]} if course.ROOT.is_relative_to("/tmp") else set()
    assert set(inside("import os\nreturn os.listdir('/tmp')")) - bound == {"home"}


def test_no_further_namespace_with_capabilities_can_be_made() -> None:
    assert inside("""
        import ctypes
        libc = ctypes.CDLL(None)
        new = [libc.unshare(flag) for flag in (0x10000000, 0x00020000, 0x40000000)]  # user, mount, network
        return [*new, libc.mount(b"x", b"/tmp", b"tmpfs", 0, None)]
    """) == [-1] * 4  # fmt: skip


def test_memory_is_bounded() -> None:
    assert inside("""
        try:
            block = bytearray(100 << 30)
        except MemoryError:
            return "refused"
        return len(block)
    """) == "refused"  # fmt: skip
    with pytest.raises((AnswerDied, AnswerError), match=r"memory|MemoryError"):
        inside("""
            held = []
            while True:
                held.append(b"x" * (8 << 20))
        """, limits=Limits(memory_mb=256))  # fmt: skip


def test_files_are_bounded_in_size_and_number() -> None:
    assert inside(
        """
        import os
        try:
            with open("/tmp/big", "wb") as f:
                for _ in range(64):
                    f.write(b"x" * (1 << 20))
        except OSError as e:
            return e.errno, os.path.getsize("/tmp/big")
        return 0, os.path.getsize("/tmp/big")
    """,
        limits=Limits(file_mb=16),
    ) == (27, 16 << 20)  # EFBIG
    assert inside("""
        held = []
        try:
            while len(held) < 10_000:
                held.append(open("/dev/null"))
        except OSError:
            pass
        return len(held) < 100
    """, limits=Limits(open_files=64))  # fmt: skip


def test_processes_are_bounded() -> None:
    count = inside("""
        import os, time
        count = 0
        try:
            while count < 500:
                if os.fork() == 0:
                    time.sleep(600)
                    os._exit(0)
                count += 1
        except OSError:
            pass
        return count
    """, limits=Limits(processes=40))  # fmt: skip
    assert 0 < count < 40


SLEEPER = """
    import os, subprocess
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv("/bin/sleep", ["sleep", a[0]])
        os._exit(0)
    os.wait()
    subprocess.Popen(["/bin/sleep", a[0]], start_new_session=True)
    return True
"""


@pytest.mark.parametrize("level", ["sandbox", "process"])
def test_children_die_with_their_worker_also_when_they_hide(level: sandbox.Level) -> None:
    seconds = str(86_400_000 + os.getpid())
    assert inside(SLEEPER, seconds, level=level)
    assert running_with(seconds) == []
    assert children_of_ours() == [] and groups_of_ours() == []


def test_the_whole_tree_ends_when_the_worker_dies_by_itself() -> None:
    seconds = str(86_500_000 + os.getpid())
    source = (
        f"import os, subprocess\ndef f():\n    subprocess.Popen(['/bin/sleep', '{seconds}'])\n    os._exit(0)"
    )
    with Process("plain", "sandbox") as worker:
        worker.ask("load", LIMIT_S, cells=[["answer", source]], function="f")
        with pytest.raises(AnswerDied, match="exit 0"):
            worker.ask("evaluate", LIMIT_S, args=[])
    assert running_with(seconds) == []


def test_the_process_level_says_what_it_is_and_still_bounds_memory() -> None:
    assert inside("""
        try:
            bytearray(100 << 30)
        except MemoryError:
            return "refused"
    """, level="process") == "refused"  # fmt: skip


def test_a_sandbox_that_cannot_start_is_said_and_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise sandbox.SandboxUnavailable("no bubblewrap")

    monkeypatch.setattr(sandbox, "available", missing)
    with pytest.raises(sandbox.SandboxUnavailable):
        Process("plain", "sandbox")
    assert children_of_ours() == [] and groups_of_ours() == []
