"""Which language a person reads, and which half of a text to show them.

Code cells are shared by the Spanish and the English notebook, so a figure or a label in a shared cell is
written once with both texts, `{"es": "...", "en": "..."}`, and `pick` takes the right one. Takes the
environment, returns "es" or "en"; knows nothing of figures or notebooks' contents.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Literal

Language = Literal["es", "en"]
Text = str | Mapping[str, str]

_chosen: Language | None = None


def use_language(language: Language | None) -> None:
    """Fix the language of this process; None goes back to asking the environment."""
    global _chosen
    if language not in ("es", "en", None):
        raise ValueError(f"no texts in {language!r}; choose 'es' or 'en'")
    _chosen = language


def language() -> Language:
    """The language in use: `use_language`, else GOODPUT_LANG, else the es/ or en/ folder of the notebook,
    else English."""
    if _chosen:
        return _chosen
    asked = os.environ.get("GOODPUT_LANG", "").lower()[:2]
    if asked in ("es", "en"):
        return asked  # type: ignore[return-value]
    # Jupyter names the open notebook in JPY_SESSION_NAME and starts its kernel in the notebook's folder.
    for path in (os.environ.get("JPY_SESSION_NAME", ""), str(Path.cwd())):
        for part in reversed(PurePath(path).parts):
            if part in ("es", "en"):
                return part
    return "en"


def pick(text: Text, lang: Language | None = None) -> str:
    """The text in `lang` (default: the language in use); a plain string is the same in both."""
    if isinstance(text, str):
        return text
    wanted = lang or language()
    if wanted not in text:
        raise KeyError(f"a text lacks its {wanted!r} half: {dict(text)}")
    return text[wanted]
