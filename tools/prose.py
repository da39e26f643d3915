"""What a piece of prose says that does not depend on its language: code, formulas, links, images, numbers,
headings.

Takes Markdown, returns `Facts`. A number is the set of values that its digits can mean in its language,
because Spanish writes 1,5 or 1.5 and English writes 1,024: two numbers agree where these sets meet. Number
words ("two") are not read. Knows nothing of twins or cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

FENCE = re.compile(
    r"^[ \t]*(?P<tick>`{3,}|~{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^[ \t]*(?P=tick)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
FORMULA = re.compile(r"(?<!\\)\$\$(.+?)(?<!\\)\$\$|(?<![\\$])\$(?=[^\s$])([^$\n]*?[^\s\\$])\$", re.DOTALL)
IMAGE = re.compile(r"!\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
IMAGE_TAG = re.compile(r"""<img\b[^>]*?\bsrc=["']([^"']+)["'][^>]*>""", re.IGNORECASE)
LINK = re.compile(r"(?<=\])\(\s*<?([^)\s>]+)>?[^)]*\)")
BARE_LINK = re.compile(r"<?(https?://[^\s<>)\]]+[^\s<>)\].,;:])>?")
TAG = re.compile(r"</?[a-zA-Z][^>\n]*>|<!--.*?-->", re.DOTALL)
HEADING = re.compile(r"^(#{1,6})[ \t]+\S", re.MULTILINE)
THIN = "\u00a0\u2009\u202f"  # spaces that group digits; a plain space parts two numbers
NUMBER = re.compile(rf"\d+(?:[.,{THIN}]\d+)*", re.ASCII)
# A path or file name may carry the language: notebooks/es/..., roofline.es.svg, es.wikipedia.org.
LANGUAGE_PART = re.compile(r"(?<![A-Za-z0-9])(?:es|en)(?![A-Za-z0-9])")
# Words inside a formula belong to the language.
FORMULA_WORDS = re.compile(r"\\(?:text|mathrm|textit|textbf)\{[^{}]*\}")
# A fenced block with this info string shows output in the reader's language: only its numbers are compared.
OUTPUT_FENCE = "text"


@dataclass(frozen=True)
class Mark:
    """Something found in a text: how it is written, and at which character."""

    written: str
    at: int


@dataclass(frozen=True)
class Facts:
    """What must agree between two languages; `words` is the rest, blanked so that offsets stay."""

    headings: tuple[int, ...]
    fences: tuple[tuple[str, str], ...]  # (info string, body); the body of an output block is empty
    code: dict[str, Mark]  # by the form in which it is compared, here and below
    formulas: dict[str, Mark]
    links: dict[str, Mark]
    images: dict[str, Mark]
    numbers: dict[frozenset[str], Mark]  # by the values that it can mean
    words: str


def facts(text: str, lang: str) -> Facts:
    """Read one prose cell written in `lang`."""
    rest, fences, numbers = text, [], {}
    for match in FENCE.finditer(text):
        info, body = match["info"].strip(), match["body"]
        if info in ("", OUTPUT_FENCE):
            _numbers(body, match.start("body"), lang, numbers)
            body = ""
        fences.append((info, body))
        rest = _blank(rest, match)
    rest, code = _take(rest, CODE, _squeezed)
    rest, formulas = _take(rest, FORMULA, _formula)
    rest, images = _take(rest, IMAGE, _target)
    rest, image_tags = _take(rest, IMAGE_TAG, _target)
    rest, links = _take(rest, LINK, _target)
    rest, bare = _take(rest, BARE_LINK, _target)
    headings = tuple(len(match[1]) for match in HEADING.finditer(rest))
    for match in TAG.finditer(rest):
        rest = _blank(rest, match)
    _numbers(rest, 0, lang, numbers)
    return Facts(headings, tuple(fences), code, formulas, links | bare, images | image_tags, numbers, rest)


def _numbers(text: str, start: int, lang: str, found: dict[frozenset[str], Mark]) -> None:
    for match in NUMBER.finditer(text):
        found.setdefault(meanings(match[0], lang), Mark(match[0], start + match.start()))


def meanings(token: str, lang: str) -> frozenset[str]:
    """Every value that a written number can have in a language, in one spelling each."""
    groups = re.split(rf"[.,{THIN}]", token)
    marks = [c for c in token if not c.isdigit()]
    grouped = all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3 and groups[0] != "0"
    whole = _value("".join(groups))
    if not marks or (set(marks) <= set(THIN) and grouped):
        return frozenset({whole})
    if len(set(marks)) > 1 and marks.count(marks[-1]) == 1 and marks[-1] in ".,":
        return frozenset({_value("".join(groups[:-1]) + "." + groups[-1])})
    if len(marks) > 1:  # 1,048,576 or a version such as 12.6.3
        return frozenset({whole} if grouped else {token})
    decimal = _value(".".join(groups))
    if not grouped or (lang == "en" and marks == ["."]):
        return frozenset({decimal})
    return frozenset({whole} if lang == "en" else {whole, decimal})


def _value(digits: str) -> str:
    return f"{Decimal(digits).normalize():f}"


def _take(text: str, pattern: re.Pattern[str], compared: Callable[[str], str]) -> tuple[str, dict[str, Mark]]:
    """Every match of a pattern, by the form in which it is compared, and the text without them."""
    found: dict[str, Mark] = {}
    rest = text
    for match in pattern.finditer(text):
        written = next(group for group in reversed(match.groups()) if group is not None)
        found.setdefault(compared(written), Mark(match[0], match.start()))
        rest = _blank(rest, match)
    return rest, found


def _blank(text: str, match: re.Match[str]) -> str:
    gap = re.sub(r"[^\n]", " ", match[0])
    return text[: match.start()] + gap + text[match.end() :]


def _squeezed(code: str) -> str:
    return " ".join(code.split())


def _formula(formula: str) -> str:
    """Spaces, words and the decimal comma do not make a difference."""
    return re.sub(r"\s+", "", FORMULA_WORDS.sub("", formula).replace("{,}", "."))


def _target(target: str) -> str:
    return LANGUAGE_PART.sub("{lang}", target)
