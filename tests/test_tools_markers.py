"""Solution regions: what a starter is, and every way in which a region can be wrong."""

from __future__ import annotations

import pytest

from tools.include import Expanded, expand
from tools.markers import regions, starter
from tools.problems import SourceError


def answer(text: str) -> Expanded:
    return Expanded(text, tuple(("here.py", number) for number, _ in enumerate(text.split("\n"), 10)))


def refusal(text: str) -> tuple[str, int]:
    with pytest.raises(SourceError) as caught:
        starter(answer(text), "slug")
    (problem,) = caught.value.problems
    assert problem.path == "here.py" and problem.repair
    return problem.what, problem.line


def hole(*lines: str) -> str:
    return "\n".join(["def slug(x):", *("    " + line for line in lines)])


def test_a_region_in_python_becomes_a_comment_and_a_named_error():
    text = hole("a = 1", "# BEGIN SOLUTION", "return a + x", "# END SOLUTION")
    assert starter(answer(text), "slug") == hole(
        "a = 1", "# YOUR CODE HERE", 'raise NotImplementedError("slug")'
    )


def test_several_regions_are_all_cut():
    one = hole("# BEGIN SOLUTION", "return 1", "# END SOLUTION")
    text = one + "\n\n\n" + one.replace("slug", "other")
    assert starter(answer(text), "slug").count("YOUR CODE HERE") == 2
    assert [region.begin for region in regions(answer(text), "slug")] == [1, 7]


@pytest.mark.parametrize("jit", ["triton.jit", "gluon.jit", "triton.jit(do_not_specialize=['n'])"])
def test_a_region_in_a_device_function_becomes_pass_because_a_device_cannot_raise(jit):
    text = f"@{jit}\n" + hole("# BEGIN SOLUTION", "tl.store(x, 1)", "# END SOLUTION")
    assert starter(answer(text), "slug").endswith("    # YOUR CODE HERE\n    pass")


@pytest.mark.parametrize(
    ("begin", "end", "stub"),
    [
        ("// BEGIN SOLUTION", "// END SOLUTION", "// YOUR CODE HERE"),
        ("/* BEGIN SOLUTION */", "/* END SOLUTION */", "/* YOUR CODE HERE */"),
        ("### BEGIN SOLUTION", "### END SOLUTION", "# YOUR CODE HERE"),
        ("-- BEGIN SOLUTION", "-- END SOLUTION", "-- YOUR CODE HERE"),
        ("; BEGIN SOLUTION", "; END SOLUTION", "; YOUR CODE HERE"),
        ("% BEGIN SOLUTION", "% END SOLUTION", "% YOUR CODE HERE"),
        ("<!-- BEGIN SOLUTION -->", "<!-- END SOLUTION -->", "<!-- YOUR CODE HERE -->"),
    ],
)
def test_a_region_in_a_string_becomes_one_comment_of_its_own_syntax(begin, end, stub):
    text = f'SOURCE = r"""\n  {begin}\n  x\n  {end}\n"""\n\n' + hole("return SOURCE")
    assert starter(answer(text), "slug") == f'SOURCE = r"""\n  {stub}\n"""\n\n' + hole("return SOURCE")


@pytest.mark.parametrize(
    ("lines", "what", "line"),
    [
        (["# BEGIN SOLUTION", "# BEGIN SOLUTION", "return 1", "# END SOLUTION"], "inside a region", 12),
        (["# BEGIN SOLUTION", "return 1"], "without an END", 11),
        (["return 1", "# END SOLUTION"], "without a BEGIN", 12),
        (["# BEGIN SOLUTION", "", "# END SOLUTION", "return 1"], "empty", 11),
        (["return 1  # BEGIN SOLUTION", "return 1"], "alone on its line", 11),
        (["return 1"], "without a solution region", 10),
        (["# BEGIN SOLUTION", "return 1", "  # END SOLUTION"], "not indented", 13),
        (
            ["if x:", "    # BEGIN SOLUTION", "    a = 1", "b = 2", "    # END SOLUTION"],
            "leaves the block",
            14,
        ),
        (["# BEGIN SOLUTION", "if x:", "# END SOLUTION", "    return 1"], "would not be valid Python", 10),
        (["# BEGIN SOLUTION", "return (", "# END SOLUTION"], "not valid Python", 12),
    ],
)
def test_a_wrong_region_is_refused_at_its_line(lines, what, line):
    found, at = refusal(hole(*lines))
    assert what in found and at == line


def test_a_region_may_not_cross_the_quotes():
    text = 'def slug(x):\n    s = """\n    # BEGIN SOLUTION\n    """\n    x = 1\n    # END SOLUTION\n    return x'
    assert refusal(text) == ("a region that begins inside a string and ends outside it, or the reverse", 12)


def test_a_region_outside_every_function_is_refused_because_the_starter_must_run():
    what, line = refusal("# BEGIN SOLUTION\nA = 1\n# END SOLUTION\ndef slug(x):\n    return A")
    assert "outside every function" in what and line == 10


def test_every_wrong_region_is_reported_not_only_the_first():
    with pytest.raises(SourceError) as caught:
        starter(answer(hole("x = 1  # BEGIN SOLUTION", "# END SOLUTION", "# BEGIN SOLUTION")), "slug")
    assert len(caught.value.problems) == 3


def test_a_problem_in_an_included_file_is_reported_in_that_file(tmp_path):
    (tmp_path / "x.cu").write_text("a\n// BEGIN SOLUTION\n// END SOLUTION\n")
    expanded = expand('S = include("x.cu")\n' + hole("return S"), tmp_path, "course/07/x.py", 30)
    with pytest.raises(SourceError) as caught:
        starter(expanded, "slug")
    (problem,) = caught.value.problems
    assert (problem.path, problem.line) == ("course/07/x.cu", 2)


def test_an_included_text_comes_back_unchanged_from_python(tmp_path):
    text = '  a \\n "quoted" \\\\ end\n\tb\n'
    (tmp_path / "x.cu").write_text(text)
    names: dict[str, str] = {}
    exec(expand('S = include("x.cu")', tmp_path).text, names)  # our own text
    assert names["S"] == "\n" + text


@pytest.mark.parametrize(("inside", "quote"), [("'''", '"""'), ('"""', "'''")])
def test_the_quote_is_the_one_that_the_text_does_not_hold(tmp_path, inside, quote):
    (tmp_path / "x.cu").write_text(f"// {inside}\n")
    assert expand('S = include("x.cu")', tmp_path).text == f"S = r{quote}\n// {inside}\n{quote}"


def test_an_include_inside_a_function_keeps_its_place(tmp_path):
    (tmp_path / "x.cu").write_text("a;\n")
    assert expand('    s = include("x.cu")\n    t', tmp_path).text == '    s = r"""\na;\n"""\n    t'


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('S = include("absent.cu")', "no such file"),
        ('S = include("../x.cu")', "outside the folder"),
        ('S = f(include("x.cu"))', "middle of a line"),
        ('S = include("both.cu")', "both kinds"),
        ('S = include("empty.cu")', "empty"),
    ],
)
def test_a_wrong_include_is_refused(tmp_path, line, what):
    (tmp_path / "both.cu").write_text("\"\"\" '''\n")
    (tmp_path / "empty.cu").write_text("\n")
    with pytest.raises(SourceError, match=what):
        expand(line, tmp_path)
