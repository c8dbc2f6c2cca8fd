"""The wheel: built twice with the same bytes, installed from its file by Debian's pip, used, uninstalled without a trace."""
import os
import re
import subprocess
import sys
import zipfile

import pytest

from conftest import ROOT

LIBRARY = os.environ["EVALENGINE_CARRIED"]


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    first, second = (tmp_path_factory.mktemp(name) for name in ("first", "second"))
    builder = ROOT / "engine/api/python/build_wheel"
    path = run(builder, LIBRARY, "-o", first).strip()
    again = run(builder, LIBRARY, "-o", second, env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7"}).strip()
    with open(path, "rb") as a, open(again, "rb") as b:
        assert a.read() == b.read()
    return path


def test_the_tag_is_what_the_symbols_need(wheel, tmp_path):
    """By readelf, not by the reader of ELF in build_wheel."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    libraries = list((tmp_path / "evalengine/lib").iterdir())
    out = "".join(run("readelf", "-W", "--dyn-syms", path) for path in libraries)
    newest = max((int(a), int(b)) for a, b in re.findall(r"@GLIBC_(\d+)\.(\d+)", out))
    assert f"manylinux_{newest[0]}_{newest[1]}_" in wheel
    own = {path.name for path in libraries}
    assert len(own) > 5
    for path in libraries:
        dynamic = run("readelf", "-W", "-d", path)
        for name in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
            assert name in own or re.match(r"(lib[cm]|ld-linux-x86-64)\.so", name), name
        assert path.name.startswith("lib") or f"soname: [{path.name}]" in dynamic
    assert run("readelf", "-W", "-d", tmp_path / "evalengine/lib/libevalengine.so").count("[$ORIGIN]") == 1


USE = """
import evalengine, os, sys
assert evalengine.__file__.startswith(sys.prefix), evalengine.__file__
with open("/proc/self/maps") as file:
    carried = {os.path.basename(line.split()[-1]) for line in file if "/evalengine/lib/" in line}
assert {"libevalengine.so", "ee_lua5.4.so.0", "ee_yaml-0.so.2"} <= carried, carried
assert os.path.exists(os.path.join(os.path.dirname(evalengine.__file__), "py.typed"))
case = evalengine.Rules("receipts").judge({"company": "a", "total": 5}, {"company": "a", "total": 5})
assert case.score == 1, case
result = evalengine.evaluate([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 3}], 'return ee.rules { ee.fields { ee.numeric "a" } }')
print(result, evalengine.__version__)
similar = evalengine.evaluate([{"a": "tea"}], [{"a": "teas"}], 'return ee.rules { ee.fields { ee.semantic "a" } }')
print(similar.status)
"""


def test_install_use_uninstall(wheel, tmp_path):
    place = tmp_path / "venv"
    done = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", place], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("not installed: python3-venv (apt-get install it)")
    files = lambda: {path for path in place.rglob("*") if "__pycache__" not in path.parts}
    before = files()
    python = place / "bin/python"
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "EVALENGINE_LIBRARY")}
    run(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel, env=clean)
    printed = run(python, "-c", USE, env=clean, cwd=tmp_path)
    assert "mean score 0.500" in printed and printed.endswith("0.1.0\n0\n")
    (tmp_path / "test_it.py").write_text("def test_it(request):\n"
                                         "    assert request.config.pluginmanager.hasplugin('evalengine')\n")
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py", env=clean, cwd=tmp_path)
    run(python, "-m", "pip", "uninstall", "-y", "evalengine", env=clean)
    assert files() == before
