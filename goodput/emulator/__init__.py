"""CUDA C++ on a CPU: results, races, out-of-bounds accesses, sectors per request and bank conflicts; never speed.

    program = build(source, ["saxpy"])
    launch = Launch(source, "saxpy", (4, 1, 1), (256, 1, 1), (Buffer("x"), Scalar("i32", n)))
    result = run(program, [launch], {"x": BufferSpec(x)})
    result.outputs["x"], result.counts.load_sectors_per_request, result.failure

`count(function, x=x, out=out)` does it for a function that calls `goodput.cuda.launch`, and returns the counts.

One fiber per thread, blocks one after another, in three orders that must agree. The first is traced: counts, and races by
happens-before between warps; lanes of one warp, and blocks that write equal values, are left to the orders. Not modelled:
inline PTX, clusters, grid-wide barriers, tensor cores, locks in shared memory (reported as races), time. Needs g++ 11 or later
on x86-64. It compiles and runs what learners write: pass `wrap` to put both into a sandbox.
"""

from goodput.emulator.build import EmulatorUnavailable, Program, build
from goodput.emulator.counting import count
from goodput.emulator.report import Counts, Failure, Run
from goodput.emulator.run import BufferSpec, run

__all__ = [
    "BufferSpec",
    "Counts",
    "EmulatorUnavailable",
    "Failure",
    "Program",
    "Run",
    "build",
    "count",
    "run",
]
