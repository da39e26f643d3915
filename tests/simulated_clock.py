"""A seeded clock with the faults of real machines: block noise, session bias, slow outliers, drift, disturbance."""

import math
import random

from grader.race import Round


class SimulatedWindows:
    def __init__(
        self,
        true_ratio,
        seed,
        round_sd=0.01,
        block_sd=0.002,
        session_sd=0.0,
        outliers=0.0,
        drift=0.0,
        faults=(),
    ):
        self.random = random.Random(seed)
        self.true, self.round_sd, self.block_sd = true_ratio, round_sd, block_sd
        self.outliers, self.drift, self.faults = outliers, drift, tuple(faults)
        self.session = self.random.gauss(0, session_sd)
        self.block, self.now = 0.0, 0

    def new_block(self, index):
        self.block = self.random.gauss(0, self.block_sd)

    def window(self, seconds):
        self.now += 1
        noisy = seconds * math.exp(self.random.gauss(0, self.round_sd) + self.drift * self.now)
        return noisy * (3.0 if self.random.random() < self.outliers else 1.0)

    def round(self, baseline_first):
        answer = 0.010
        baseline = answer * self.true * math.exp(self.session + self.block)
        order = (
            (baseline, answer, answer, baseline) if baseline_first else (answer, baseline, baseline, answer)
        )
        times = [self.window(s) for s in order]
        outer, inner = (times[0], times[3]), (times[1], times[2])
        return Round(outer, inner) if baseline_first else Round(inner, outer)

    def disturbed(self):
        return self.faults
