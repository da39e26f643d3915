"""A sentence with gaps + facts -> the sentence, in one language, whatever is missing.

The small language of `messages.toml`:
  {index}              a fact; numbers are written as the language does
  {ratio:2}            with two decimals          {share:%}   as a percentage
  {got:=}              with all its digits        {access:@}  translated by the table [term]
  {index:#}            an index or a thread: 3, (0, 17)
  {n:case/cases}       the number and its noun    {n:~is/are} only the word that agrees with the number
  [a|b|c]              the first alternative whose facts are all there; none of them: nothing

A fact that is missing outside brackets becomes "…"; a test keeps messages.toml from relying on that. Facts are never read
as templates, so hostile text stays text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grader.numbers import Lang, exact, fixed, number, percent
from grader.printable import one_line

_GAP = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
_GROUP = re.compile(r"\[([^\[\]]*)\]")
Terms = Mapping[str, Mapping[str, str]]


def fill(template: str, facts: Mapping[str, Any], lang: Lang, terms: Terms) -> str:
    """Write the sentence. `facts` may hold numbers, text, lists of them, or a {es, en} pair."""
    out: list[str] = []
    position = 0
    for group in _GROUP.finditer(template):
        out.append(_fill_gaps(template[position : group.start()], facts, lang, terms))
        out.append(_first_complete(group[1].split("|"), facts, lang, terms))
        position = group.end()
    out.append(_fill_gaps(template[position:], facts, lang, terms))
    return _tidy("".join(out))


def names(template: str) -> set[str]:
    """The facts a template can use."""
    return {match[1] for match in _GAP.finditer(template)}


def _first_complete(alternatives: list[str], facts: Mapping[str, Any], lang: Lang, terms: Terms) -> str:
    for alternative in alternatives:
        if all(_usable(facts.get(name)) for name in names(alternative)):
            return _fill_gaps(alternative, facts, lang, terms)
    return ""


def _usable(fact: Any) -> bool:
    return fact is not None and fact != "" and fact != [] and fact != ()


def _fill_gaps(template: str, facts: Mapping[str, Any], lang: Lang, terms: Terms) -> str:
    def gap(match: re.Match[str]) -> str:
        fact = facts.get(match[1])
        return _written(fact, match[2] or "", lang, terms) if _usable(fact) else "…"

    return _GAP.sub(gap, template)


def _written(fact: Any, how: str, lang: Lang, terms: Terms) -> str:
    if isinstance(fact, Mapping) and {"es", "en"} & set(fact):
        fact = fact.get(lang) or fact.get("en") or fact.get("es")
    if how == "#" and isinstance(fact, list | tuple) and all(isinstance(step, int) for step in fact):
        steps = [number(step, lang) for step in fact]
        return steps[0] if len(steps) == 1 else f"({', '.join(steps)})"
    if isinstance(fact, list | tuple):
        each = "#" if how == "" else how  # threads: (0, 17), (1, 17)
        return ", ".join(_written(item, each, lang, terms) for item in list(fact)[:8])
    if how == "@" and str(fact) in terms:
        return terms[str(fact)][lang]
    if isinstance(fact, bool) or not isinstance(fact, int | float):
        # A fact often ends its own sentence; ours adds the full stop.
        return one_line(str(fact)).rstrip(" .")
    if "/" in how:
        one, many = how.removeprefix("~").split("/")
        word = one if fact == 1 else many
        return word if how.startswith("~") else f"{number(fact, lang)} {word}"
    if how == "%":
        return percent(fact, lang)
    if how == "=":
        return exact(fact, lang)
    return fixed(fact, int(how), lang) if how.isdigit() else number(fact, lang)


def _tidy(sentence: str) -> str:
    """One space between words, one end mark, a capital at the start: optional parts leave none of them in place."""
    sentence = re.sub(r" {2,}", " ", sentence).strip()
    sentence = re.sub(r"([?!…])\.", r"\1", sentence)
    return sentence[:1].upper() + sentence[1:]
