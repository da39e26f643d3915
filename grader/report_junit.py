"""Report -> JUnit XML, the form that CI systems draw.

One suite per chapter, one test case per exercise. A failure is an answer that lacks a pass; an error is something nobody
could decide (our machine, or a person's review); skipped is what this machine cannot grade and what has no answer yet.
Takes a report and a language for the messages; returns text.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from grader.numbers import Lang
from grader.report_schema import ExerciseRecord, Report

_ELEMENT = {
    "incorrect": "failure",
    "slow": "failure",
    "too_close": "failure",
    "error": "failure",
    "not_graded": "error",
    "review": "error",
    "not_available": "skipped",
    "unanswered": "skipped",
}


def junit_xml(report: Report, lang: Lang) -> str:
    """The whole report as one document; text in it has no character that XML forbids (see printable.py)."""
    root = ET.Element("testsuites", name="goodput")
    for chapter in dict.fromkeys(exercise.chapter for exercise in report.exercises):
        _suite(
            root, f"chapter {chapter}", [e for e in report.exercises if e.chapter == chapter], report, lang
        )
    if report.problems:
        suite = ET.SubElement(root, "testsuite", name="input", timestamp=report.created.removesuffix("Z"))
        for problem in report.problems:
            case = ET.SubElement(suite, "testcase", classname="goodput.input", name=problem.path, time="0")
            ET.SubElement(case, "error", message=problem.reason, type="unusable input")
        _count(suite)
    _count(root)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, name: str, exercises: list[ExerciseRecord], report: Report, lang: Lang) -> None:
    suite = ET.SubElement(root, "testsuite", name=name, timestamp=report.created.removesuffix("Z"))
    for exercise in exercises:
        seconds = sum(exercise.seconds.values())
        case = ET.SubElement(
            suite,
            "testcase",
            classname=f"goodput.chapter_{exercise.chapter}",
            name=exercise.name,
            time=f"{seconds:.3f}",
        )
        message = exercise.message.es if lang == "es" else exercise.message.en
        if element := _ELEMENT.get(exercise.outcome):
            diagnosis = exercise.correctness.diagnosis
            verdict = ET.SubElement(case, element, message=message.headline)
            if element != "skipped":
                verdict.set("type", diagnosis.name if diagnosis else exercise.outcome)
                verdict.text = "\n".join(filter(None, (message.headline, message.detail, message.next_step)))
        text = "\n".join([*message.notes, exercise.output]).strip()
        if text:
            ET.SubElement(case, "system-out").text = text
    _count(suite)


def _count(element: ET.Element) -> None:
    element.set("tests", str(len(element.findall(".//testcase"))))
    element.set("failures", str(len(element.findall(".//failure"))))
    element.set("errors", str(len(element.findall(".//error"))))
    element.set("skipped", str(len(element.findall(".//skipped"))))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in element.iter('testcase')):.3f}")
