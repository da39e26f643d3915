"""What every test run shares: GPU and browser tests are skipped with the reason where they cannot run, and no test depends
on the language of the caller's terminal."""

from __future__ import annotations

import os
import shutil

import pytest

os.environ.pop("GOODPUT_LANG", None)  # `make` sets it for what people read


def _why_no_gpu() -> str | None:
    import torch

    return None if torch.cuda.is_available() else "needs a CUDA GPU, torch sees none"


def _why_no_browser() -> str | None:
    missing = [tool for tool in ("chromium", "chromedriver") if shutil.which(tool) is None]
    return f"needs {' and '.join(missing)}" if missing else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for marker, why in (("gpu", _why_no_gpu), ("browser", _why_no_browser)):
        marked = [item for item in items if item.get_closest_marker(marker)]
        reason = why() if marked else None
        for item in marked if reason else []:
            item.add_marker(pytest.mark.skip(reason=reason or ""))
