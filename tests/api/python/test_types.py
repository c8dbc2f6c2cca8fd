"""mypy --strict on the package, and on a program that uses it."""
import subprocess
import sys

import pytest

from conftest import ROOT

USE = '''
import evalengine

result = evalengine.evaluate([{"a": 1}], [{"a": 1}], "rules.lua", fail_under={"mean_score": 0.9}, jobs=2)
reveal_type(result.score)
reveal_type(result.cases[0].mismatches)
reveal_type(result.cases[1:])
evalengine.evaluate([1], [1], jobs="two")
'''


@pytest.mark.parametrize("version", ["3.9", "3.11"])
def test_types(tmp_path, version):
    pytest.importorskip("mypy", reason="not installed: python3-mypy (apt-get install it)")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-version", version, "--cache-dir", tmp_path / "cache"]
    done = subprocess.run([*mypy, ROOT / "engine/api/python/evalengine"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    (tmp_path / "use.py").write_text(USE)
    done = subprocess.run([*mypy, "use.py"], capture_output=True, text=True, cwd=tmp_path)
    lines = [line.partition(": ")[2] for line in done.stdout.splitlines()]
    assert lines[:3] == ['note: Revealed type is "Union[builtins.float, None]"',
                         'note: Revealed type is "builtins.list[builtins.dict[builtins.str, Any]]"',
                         'note: Revealed type is "evalengine._cases.Cases"'], done.stdout
    assert 'has incompatible type "str"; expected "int"' in lines[3] and len(lines) == 5
