"""The manual's own examples work."""

import re

from conftest import ROOT


def test_your_own_test_in_20_lines_runs_as_printed(run_rtl, sim, tmp_path):
    page = (ROOT / "docs/own-test.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
    body = [line for line in code.splitlines() if line.strip()]
    assert len(body) <= 20
    (tmp_path / "my_test.py").write_text(code)
    run_rtl("padlock_top", "my_test", sim, import_paths=(tmp_path,))


def test_every_link_of_the_manual_leads_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
