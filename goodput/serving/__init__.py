"""Serving: caches, simulators and, later, the engine. Simulators own time and state; a policy only decides."""
