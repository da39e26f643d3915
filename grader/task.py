"""The exercise contract: frozen records that a chapter's `tasks.py` fills in.

Takes nothing, returns records. Knows nothing of processes, clocks, notebooks or languages. Everything that defines "done"
for an exercise stands in one `Task`; the grader reads it, the learner never sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["cuda", "triton", "torch", "system", "simulation", "analysis"]
Need = Literal["gpu", "sm80", "sm90", "hopper", "gpus2", "sanitizer", "root", "netns", "direct_io", "jax"]


@dataclass(frozen=True)
class Points:
    """Points for a correct answer (with its evidence) and, apart, for a fast one."""

    correct: float
    fast: float = 0.0

    @property
    def total(self) -> float:
        return self.correct + self.fast


@dataclass(frozen=True)
class Tolerance:
    """Largest relative L2 error against the reference, and the reason for the number.

    `rel=0` means bit for bit. `single` bounds one element: |got - want| <= single * (|want| + rms(want)); it defaults to
    16 * rel, because a norm hides one wrong element among millions.
    """

    rel: float
    why: str
    single: float | None = None

    @property
    def per_element(self) -> float:
        return 16 * self.rel if self.single is None else self.single


@dataclass(frozen=True)
class Case:
    """One shape (or situation) in which the answer must be correct.

    `about` groups failures: when every failing case is about "tail" (or "stride") and others pass, the verdict says so.
    `timed` cases are the large ones that the race uses; they are checked for correctness as well, on a GPU.
    """

    name: str
    sizes: Mapping[str, Any]
    about: Literal["", "tail", "stride"] = ""
    timed: bool = False
    only: Literal["", "cpu", "cuda"] = (
        ""  # a size that makes sense on one device alone (grids as large as a GPU)
    )


@dataclass(frozen=True)
class Out:
    """Shape and dtype name (torch spelling, e.g. "float32") of one output that the controller owns."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Target:
    """Speed target: needed speedup = par ** position, par and baseline both measured on the machine that grades.

    `ceiling_fraction` instead: bytes of `work` over time, as a share of the copy probe timed in the same rounds, must reach
    this number (for exercises whose par is too close to the baseline for a ratio).
    """

    position: float | None = None
    ceiling_fraction: float | None = None


@dataclass(frozen=True)
class Work:
    """The physical floor of one call: bytes that must move between memory and the chip, and FLOPs by dtype name.

    `traffic` names the ceiling to compare with: "copy", or "read" where next to nothing is written (reads run faster).
    """

    bytes_moved: int
    flop: Mapping[str, float] = field(default_factory=dict)
    traffic: Literal["copy", "read"] = "copy"


@dataclass(frozen=True)
class Text:
    """One sentence in both languages."""

    es: str
    en: str


@dataclass(frozen=True)
class Evidence:
    """A count that must hold beside (or instead of) time.

    `read(facts)` returns the count, or None where this machine cannot tell; see `grader/facts.py` for what facts hold.
    Bounds are inclusive. `diagnosis` is what a violation is called; `hint` says in one sentence what the number means and
    what to try. `devices` limits where the count is read ("cpu": in CPU mode, "cuda": on a GPU).
    """

    name: str
    read: Callable[[Any], float | None]
    hint: Text
    at_most: float | None = None
    at_least: float | None = None
    diagnosis: str = "technique not used"
    devices: tuple[str, ...] = ("cpu", "cuda")


@dataclass(frozen=True)
class BadInput:
    """A call that must raise `raises` before anything is launched: arguments are built by `arguments()` on the CPU."""

    name: str
    arguments: Callable[[], Mapping[str, Any]]
    raises: tuple[str, ...] = ("ValueError", "TypeError")


@dataclass(frozen=True)
class Task:
    """One exercise. See the field comments; `grader/README` of the contract is CONTRIBUTING.md, section "One exercise"."""

    name: str  # slug <= 32 characters, unique in the course; the name of the function the answer defines
    chapter: str  # "07"
    kind: Kind
    points: Points
    core: bool
    minutes: int
    cases: Sequence[Case]
    arguments: tuple[str, ...] = ()  # order in which the function receives inputs and outputs, by name
    inputs: Callable[[Case, Any], Mapping[str, Any]] | None = (
        None  # (case, torch.Generator) -> name -> Tensor | number
    )
    outputs: Callable[[Case], Mapping[str, Out]] | None = None  # name -> Out
    reference: Callable[..., Any] | None = (
        None  # (**inputs) -> Tensor, or name -> Tensor when there are several outputs
    )
    tolerance: Tolerance | None = None
    returns: bool = False  # True: the function returns its output(s); False: it writes into them
    compiled: bool = (
        False  # torch only: baseline and answer are both put through torch.compile before they are timed
    )
    prepare: str | None = None  # cuda only: untimed function of the answer, see CONTRIBUTING ("prepare")
    baseline: str | None = None  # file in the chapter folder with a competent answer of the same signature
    target: Target | None = None
    work: Callable[[Case], Work] | None = None
    evidence: Sequence[Evidence] = ()
    bad_inputs: Sequence[BadInput] = ()
    needs: tuple[Need, ...] = ()
    emulate: bool = True  # cuda only: the emulator can run this answer
    sass_archs: tuple[str, ...] = ("sm_80", "sm_90a")  # cuda: where the answer must compile in CPU mode
    judge: Callable[[Any], Any] | None = (
        None  # analysis, simulation, system: (conversation) -> Judgement; see grader/kinds
    )
    iid: bool = True  # a stretch of one sample may replace the same stretch of another; False for offsets, sorted keys, ...
    limit_s: float = 30.0  # wall-clock limit of one call of the answer outside the race
    memory_mb: int = 4096
    note: str = ""

    @property
    def allowed(self) -> Tolerance:
        """The tolerance of a task whose outputs are compared with a reference."""
        if self.tolerance is None:
            raise ValueError(f"{self.name} has outputs to compare but no tolerance")
        return self.tolerance
