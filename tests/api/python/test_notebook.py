"""A notebook, executed by Jupyter: the table, the report in an iframe, frames, an interrupt."""
import html
import json
import re
import subprocess
import sys

import pytest

from conftest import ROOT

CELLS = [
    "import evalengine, json\n"
    "records = [json.loads(line) for line in open('samples/invoices.jsonl')]\n"
    "result = evalengine.evaluate(records, rules='rules/invoice.lua', detail='full')\n"
    "result",
    "print(result)",
    "result.attributes.to_frame()[['tp', 'fp', 'fn', 'f1']].head(3)",
    "result.cases.to_frame().head(3)",
    "evalengine.compare(result, result)",
    "import os, signal, threading\n"
    "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    "numbers = lambda: ({'n': i} for i in range(10 ** 9))\n"
    "try:\n"
    "    evalengine.evaluate(numbers(), numbers(), 'return ee.rules { ee.fields { ee.numeric \"n\" } }', cases=False)\n"
    "except KeyboardInterrupt as stop:\n"
    "    print('interrupted', len(stop.result) > 0)",
    "evalengine.evaluate([{'n': 1}], [{'n': 1}], 'return ee.rules { ee.fields { ee.numeric \"n\" } }', cases=False)",
]


def notebook():
    cells = [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source, "id": f"c{i}"}
             for i, source in enumerate(CELLS)]
    return {"cells": cells, "metadata": {"kernelspec": {"name": "python3", "display_name": "", "language": "python"}},
            "nbformat": 4, "nbformat_minor": 5}


def test_notebook(tmp_path):
    for module, package in (("nbconvert", "python3-nbconvert"), ("ipykernel", "python3-ipykernel"), ("pandas", "python3-pandas")):
        pytest.importorskip(module, reason=f"not installed: {package} (apt-get install it)")
    for name in ("samples", "rules"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "book.ipynb").write_text(json.dumps(notebook()))
    done = subprocess.run([sys.executable, "-m", "jupyter", "nbconvert", "--to", "notebook", "--execute", "--output", "done.ipynb",
                           "book.ipynb"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    book = json.loads((tmp_path / "done.ipynb").read_text())
    outputs = [{kind: "".join(text) for output in cell["outputs"] for kind, text in
                (output.get("data") or {output.get("name", ""): output["text"]}).items()} for cell in book["cells"]]

    page = outputs[0]["text/html"]
    document = html.unescape(re.search(r'srcdoc="([^"]*)"', page)[1])
    assert document.startswith("<!DOCTYPE html>") and "invoice.total" in document and document.rstrip().endswith("</html>")
    assert 'sandbox="allow-scripts' in page and "allow-same-origin" not in page
    assert "EvalengineWarning" in outputs[0]["stderr"]
    assert "cases 68  mean score 0.879" in outputs[1]["stdout"] and "micro" in outputs[1]["stdout"]
    assert "<table" in outputs[2]["text/html"] and "invoice.total" in outputs[2]["text/html"]
    assert "perfect-en" in outputs[3]["text/html"]
    assert "srcdoc=" in outputs[4]["text/html"]
    assert outputs[5]["stdout"] == "interrupted True\n"
    assert outputs[6]["text/html"].startswith("<pre>")
