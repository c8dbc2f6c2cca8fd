"""The wheel: built twice with the same bytes, installed from its file by Debian's pip, used, uninstalled without a trace.

EVALENGINE_BUILD names another build, such as that of `make wheel`, EVALENGINE_WHEEL a wheel that is there already."""
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conftest import ROOT

BUILD = Path(os.environ.get("EVALENGINE_BUILD") or Path(os.environ["EVALENGINE_LIBRARY"]).parent)


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if os.environ.get("EVALENGINE_WHEEL"):
        return os.path.realpath(os.environ["EVALENGINE_WHEEL"])
    first, second = (tmp_path_factory.mktemp(name) for name in ("first", "second"))
    builder = ROOT / "engine/api/python/build_wheel"
    path = run(builder, BUILD, "-o", first).strip()
    again = run(builder, BUILD, "-o", second, env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7"}).strip()
    with open(path, "rb") as a, open(again, "rb") as b:
        assert a.read() == b.read()
    return path


def test_the_tag_is_what_the_files_need(wheel, tmp_path):
    """By ldd -v, which asks the loader, not by readelf as build_wheel."""
    zipfile.ZipFile(wheel).extractall(tmp_path)
    out = "".join(run("ldd", "-v", tmp_path / "evalengine" / name) for name in ("lib/libevalengine.so", "bin/evalengine"))
    beyond = [name for name in re.findall(r"^\t(\S+) =>", out, re.MULTILINE) if not re.match(r"lib[cm]\.so", name)]
    of_ours = "".join(re.findall(r"^\t\S+/evalengine/\S+:\n((?:\t\t.*\n)*)", out, re.MULTILINE))
    versions = [(int(a), int(b)) for a, b in re.findall(r"\(GLIBC_(\d+)\.(\d+)", of_ours)]
    platform = "linux" if beyond else "manylinux_%d_%d" % max(versions)
    assert wheel.endswith(f"-py3-none-{platform}_x86_64.whl")
    if not beyond:
        licenses = {path.name for path in tmp_path.glob("*.dist-info/licenses/*")}
        assert {"LICENSE", "liblua5.4-dev", "libyaml-dev", "libcsv-dev", "zlib1g-dev"} <= licenses


USE = """
import evalengine, os, sys
assert evalengine.__file__.startswith(sys.prefix), evalengine.__file__
with open("/proc/self/maps") as file:
    assert sys.prefix in next(line for line in file if "libevalengine" in line)
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
    for command in ([place / "bin/evalengine"], [python, "-m", "evalengine"]):
        assert run(*command, "--version", env=clean).startswith("evalengine 0.1.0")
        assert f"{place}/" in run(*command, "rules", env=clean).splitlines()[0]
    (tmp_path / "test_it.py").write_text("def test_it(request):\n"
                                         "    assert request.config.pluginmanager.hasplugin('evalengine')\n")
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py", env=clean, cwd=tmp_path)
    run(python, "-m", "pip", "uninstall", "-y", "evalengine", env=clean)
    assert files() == before
