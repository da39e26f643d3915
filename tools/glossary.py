"""The glossary of the course: English terms with a Spanish form, and words that are never translated.

Takes `course/glossary.toml`, returns what a Spanish text says against it. Three faults: an English term where
Spanish has its own, a translation of a word that stays English, and such a word lost although the English
twin has it. Exempt are code, formulas, quotations, and the English term given once in emphasised parentheses:
memoria compartida (*shared memory*).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.problems import Problem, SourceError
from tools.source import read_text

EXEMPT = re.compile(r"\(\*[^*\n]+\*\)|\(_[^_\n]+_\)|\"[^\"\n]+\"|“[^”\n]+”|«[^»\n]+»")


@dataclass(frozen=True)
class Glossary:
    """`terms`: English -> Spanish; `keep`: untranslated word -> Spanish renderings that are refused."""

    terms: dict[str, str]
    keep: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Breach:
    """One breach: at which character of the Spanish text (None: a word is missing), and what to write."""

    at: int | None
    what: str
    repair: str


def read_glossary(path: Path, name: str) -> Glossary:
    """Read and check the glossary file."""
    try:
        data = tomllib.loads(read_text(path, name))
    except tomllib.TOMLDecodeError as error:
        raise SourceError(Problem(name, 0, f"not valid TOML: {error}", "repair the syntax")) from None
    terms, keep = data.get("terms"), data.get("keep")
    if not isinstance(terms, dict) or not isinstance(keep, dict) or set(data) != {"terms", "keep"}:
        raise SourceError(Problem(name, 0, "wrong tables", "have exactly [terms] and [keep]"))
    for english, spanish in terms.items():
        if not isinstance(spanish, str) or not spanish or english in keep:
            repair = f'write "{english}" = "its Spanish form", in one table only'
            raise SourceError(
                Problem(name, 0, f"the term {english!r} has no Spanish form of its own", repair)
            )
    for word, refused in keep.items():
        if not isinstance(refused, list) or not all(isinstance(each, str) and each for each in refused):
            raise SourceError(Problem(name, 0, f"{word!r}", f'write {word} = ["refused translation", ...]'))
    return Glossary(dict(terms), {word: tuple(refused) for word, refused in keep.items()})


def breaches(glossary: Glossary, es: str, en: str) -> Iterator[Breach]:
    """Breaches of the Spanish words, given the words of both twins (code and formulas blanked)."""
    plain = EXEMPT.sub(lambda match: " " * len(match[0]), es)
    for english, spanish in glossary.terms.items():
        if match := _find(english, plain):
            yield Breach(
                match.start(),
                f'"{_words(match)}" in a Spanish cell',
                f'write "{spanish}" (course/glossary.toml)',
            )
    for word, refused in glossary.keep.items():
        for translation in refused:
            if match := _find(translation, plain):
                yield Breach(
                    match.start(),
                    f'"{_words(match)}" for "{word}"',
                    f'write "{word}": it is never translated',
                )
        if _find(word, en) and not _find(word, es):
            what = f'"{word}" stands in the English cell but not in the Spanish one'
            yield Breach(None, what, f'write "{word}" in both: it is never translated')


def _words(match: re.Match[str]) -> str:
    return " ".join(match[0].split())


def _find(term: str, text: str) -> re.Match[str] | None:
    """The term or its plural as whole words in any case; a space also matches a hyphen or a line end."""
    words = r"[\s-]+".join(map(re.escape, re.split(r"[\s-]+", term)))
    return re.search(rf"(?<![\w-]){words}(?:e?s)?(?![\w-])", text, re.IGNORECASE)
