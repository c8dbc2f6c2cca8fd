"""The examples of the package's README are executed, and print what it says."""
import doctest
import re

from conftest import ROOT


def test_readme(monkeypatch, tmp_path):
    text = (ROOT / "engine/api/python/README.md").read_text()
    monkeypatch.chdir(tmp_path)
    names, told = {}, []
    for kind, block in re.findall(r"^```(pycon|python)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if kind == "python":
            exec(block, names)
            continue
        test = doctest.DocTestParser().get_doctest(block, names, "README.md", "README.md", 0)
        runner = doctest.DocTestRunner(verbose=False)
        runner.run(test, out=told.append, clear_globs=False)
        names.update(test.globs)
        assert not told, "".join(told)
    assert "parts" in names
