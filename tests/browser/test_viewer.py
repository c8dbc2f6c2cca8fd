"""The viewer of pages of HTML, in chromium: filters against a slow twin, keys, fragments, hostile values, layout and contrast."""
import base64
import json
import os
import random
import re
import shutil
import tempfile
import time
import unittest
import zlib

import data
from browser import Browser, Evalengine, ROOT

SEED = int(os.environ.get("EE_TEST_SEED", "20261122"))
CASES = 3000
COUNT = re.compile(r"([\d,]+) mismatch(?:es)? in ([\d,]+) cases? of ([\d,]+)")
IDS = ["a/b?c#d%20 e&f=g+h", "日本 語", "__proto__", "constructor", "<script>alert(1)</script>", "'\"\\", "%", "🏖️\u202e", " "]


def query(filter_):
    from urllib.parse import urlencode
    plain = [(key, value) for key, value in filter_.items() if key != "slice"]
    return "#cases?" + urlencode(plain + [("slice", "%s=%s" % one) for one in filter_.get("slice", {}).items()])


class Viewer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print("seed %d" % SEED)
        cls.folder = tempfile.mkdtemp(prefix="evalengine-browser-")
        cls.engine = Evalengine(os.environ["EVALENGINE"], cls.folder)
        cls.browser = Browser(os.environ["CHROMIUM"], os.environ["CHROMEDRIVER"])
        cls.rules = cls.engine.write("rules.lua", data.RULES)
        records = cls.engine.records("data.jsonl", data.records(CASES, SEED))
        cls.page, cls.rows = cls.engine.page("many", cls.rules, records)
        cls.entries = data.entries(cls.rows)
        cls.samples = {}

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.browser.size(1440)
        self.browser.scheme("light")

    def sample(self, name, rules, *files):
        if name not in self.samples:
            self.samples[name] = self.engine.page(name, rules, *files, "--detail", "full")
        return self.samples[name][0]

    def shown(self):
        """Mismatches and cases, as the page counts them; 0, 0 if it says that there are none."""
        found = COUNT.search(self.browser.text(".count"))
        return tuple(int(number.replace(",", "")) for number in found.groups()[:2])

    def expected(self, filter_):
        kept = [entry for entry in self.entries if data.matches(entry, filter_)]
        return sum(entry["field"] is not None for entry in kept), len({entry["row"]["id"] for entry in kept})

    def quiet(self):
        """Nothing was written to the console, and nothing but pages was asked for."""
        console, asked = self.browser.logs()
        self.assertEqual(console, [])
        self.assertEqual([url for url in asked if not url.startswith(("file:///", "about:", "data:", "blob:")) or not url.split("#")[0].endswith((".html", "blank"))], [])
        self.assertEqual(self.browser.js("return performance.getEntriesByType('resource').map((one) => one.name)"), [])

    # Filters ------------------------------------------------------------------------------------------------------------

    def test_each_filter_shows_what_the_twin_keeps(self):
        browser = self.browser
        browser.open(self.page, "#cases")
        self.assertEqual(self.shown(), self.expected({}))
        selects = browser.js("return [...document.querySelectorAll('.filters select')].filter((s) => !s.closest('[hidden]')).map((s) => [s.id, [...s.options].map((o) => o.value)])")
        tried = 0
        for select, values in selects:
            key = select.replace("ee-filter-", "")
            if key == "sort":
                continue
            for value in [value for value in values if value][:6]:
                browser.choose(select, value)
                if key.startswith("slice"):
                    path, _, name = value.partition("=")
                    filter_ = {"slice": {path: name}}
                else:
                    filter_ = {key: value}
                with self.subTest(filter=filter_):
                    self.assertEqual(self.shown(), self.expected(filter_))
                    # The number after the choice is the number of rows that it leaves.
                    label = browser.js("return document.getElementById(arguments[0]).selectedOptions[0].textContent", select)
                    if "(" in label:
                        self.assertEqual(int(label.rsplit("(", 1)[1].rstrip(")").replace(",", "")), int(browser.js("return document.getElementById('ee-grid').getAttribute('aria-rowcount')")) - 1)
                tried += 1
                browser.choose(select, "")
        self.assertGreater(tried, 12)
        self.quiet()

    def test_filters_together_show_what_the_twin_keeps(self):
        rng = random.Random(SEED)
        fields = sorted({entry["field"] for entry in self.entries if entry["field"]})
        self.browser.open(self.page)
        for _ in range(25):
            filter_ = {}
            if rng.random() < 0.5:
                filter_["field"] = rng.choice(fields)
            if rng.random() < 0.3:
                filter_["class"] = rng.choice(["incorrect", "missing", "spurious"])
            if rng.random() < 0.3:
                filter_["verdict"] = rng.choice(["pass", "fail", "borderline"])
            if rng.random() < 0.4:
                filter_["slice"] = {"meta.language": rng.choice(["de", "en", "fr=x"])}
            if rng.random() < 0.3:
                filter_["q"] = rng.choice(["inv/12", "ACME", "Subtotal", "ø no such text", "café", "寿司", "tolerance", "\"price\":1"])
            if rng.random() < 0.3:
                filter_["show"] = "all"
            if not filter_:
                continue
            with self.subTest(filter=filter_):
                self.browser.go(query(filter_))
                self.assertEqual(self.shown(), self.expected(filter_))
        self.quiet()

    def test_orders(self):
        rank = {row["id"]: row["score"] for row in self.rows}
        for order, key in (("score", lambda i: rank[i]), ("-score", lambda i: -rank[i]), ("id", lambda i: int(i[4:])), ("-id", lambda i: -int(i[4:]))):
            self.browser.open(self.page, "#cases?sort=" + order)
            ids = self.browser.js("return [...document.querySelectorAll('.grid-body .id')].map((a) => a.textContent)")
            everything = sorted({entry["row"]["id"] for entry in self.entries if data.matches(entry, {})}, key=key)
            self.assertEqual([key(i) for i in ids], sorted(key(i) for i in ids), order)
            self.assertEqual(key(ids[0]), key(everything[0]), order)

    def test_rows_show_both_values_with_what_differs_marked(self):
        self.browser.open(self.page, "#cases?field=total&class=incorrect")
        shown = self.browser.js("return [...document.querySelectorAll('.grid-body .grid-row')].map((row) => [row.querySelector('.id').textContent, row.querySelector('.c-expected').textContent, row.querySelector('.c-candidate').textContent, row.querySelectorAll('mark').length])")
        truth = {entry["row"]["id"]: entry["mismatch"] for entry in self.entries if entry["field"] == "total" and entry["class"] == "incorrect"}
        self.assertGreater(len(shown), 8)
        for name, left, right, marks in shown:
            self.assertEqual([left, right], [data.json_text(truth[name]["expected"]), data.json_text(truth[name]["candidate"])])
            self.assertGreater(marks, 0)

    def test_the_last_row_can_be_reached(self):
        self.browser.open(self.page, "#cases?show=all")
        self.browser.press("End")
        last = [entry for entry in self.entries if data.matches(entry, {"show": "all"})][-1]
        row = self.browser.js("const g = document.getElementById('ee-grid'), r = document.getElementById(g.getAttribute('aria-activedescendant')), box = r.getBoundingClientRect(); return [r.getAttribute('aria-rowindex'), g.getAttribute('aria-rowcount'), r.querySelector('.id').textContent, box.bottom <= innerHeight + 1, document.querySelectorAll('.grid-body .grid-row').length]")
        self.assertEqual(row[0], row[1])
        self.assertEqual(row[2:4], [last["row"]["id"], True])
        self.assertLess(row[4], 40, "only rows in view are drawn")

    # Keys, fragments ------------------------------------------------------------------------------------------------------

    def test_keys(self):
        browser = self.browser
        browser.open(self.page)
        browser.press("m")
        self.assertEqual(browser.fragment(), "#cases")
        browser.press("j", "j", "k", "j")
        current = "return document.querySelector('.grid-row.current .id').textContent"
        row = browser.js("return document.querySelector('.grid-row.current').dataset.row")
        self.assertEqual(row, "2")
        name = browser.js(current)
        browser.press("Enter")
        self.assertEqual(browser.text(".case-head h1"), name)
        browser.press("n")
        self.assertTrue(browser.js("return document.activeElement.classList.contains('node')"), "n goes to a difference in the documents")
        browser.press("Escape")
        self.assertEqual([browser.fragment(), browser.js("return document.querySelector('.grid-row.current').dataset.row")], ["#cases", "2"])
        browser.press("/")
        self.assertEqual(browser.js("return document.activeElement.id"), "ee-search")
        browser.press("acme")
        browser.until("return location.hash === '#cases?q=acme'")
        browser.settle()
        self.assertEqual(self.shown(), self.expected({"q": "acme"}))
        browser.press("Enter")
        self.assertEqual(browser.js("return document.activeElement.id"), "ee-grid")
        browser.press("Enter", "j")
        self.assertIn("2 of", browser.text(".place"))
        browser.press("k")
        self.assertIn("1 of", browser.text(".place"))
        browser.press("?")
        self.assertTrue(browser.js("return document.getElementById('ee-help').open"))
        browser.press("Escape")
        self.assertFalse(browser.js("return document.getElementById('ee-help').open"))
        browser.press("u", "Escape")
        self.assertEqual(browser.fragment(), "#summary")
        self.quiet()

    def test_back_and_forward_restore_views_and_places(self):
        browser = self.browser
        browser.open(self.page)
        browser.go("#cases?verdict=fail")
        before = self.shown()
        browser.js("document.getElementById('ee-grid').scrollTop = 2000")
        browser.settle()
        browser.js("document.querySelectorAll('.grid-body .grid-row')[6].click()")
        browser.until("return document.querySelector('.case-head')")
        self.assertIn("verdict=fail", browser.fragment())
        browser.back()
        self.assertEqual([browser.fragment(), self.shown()], ["#cases?verdict=fail", before])
        self.assertAlmostEqual(browser.js("return document.getElementById('ee-grid').scrollTop"), 2000, delta=70)
        browser.back()
        self.assertFalse(browser.js("return document.getElementById('report').hidden"))
        browser.driver.forward()
        browser.settle()
        self.assertEqual(self.shown(), before)

    def test_ids_of_any_characters_have_pages(self):
        records = [dict(data.record(random.Random(1), 1), id=name) for name in IDS]
        for record in records:
            record["candidate"]["total"] = 0
        page, rows = self.engine.page("ids", self.rules, self.engine.records("ids.jsonl", records))
        self.assertEqual([row["id"] for row in rows], IDS)
        self.browser.open(page, "#cases?sort=id&field=total")
        links = self.browser.js("return [...document.querySelectorAll('.grid-body .id')].map((a) => a.getAttribute('href'))")
        self.assertEqual(len(links), len(IDS))
        for link in links:
            self.browser.go(link)
            self.assertEqual(self.browser.js("return document.querySelectorAll('.case-view .panel').length") > 2, True, link)
            self.browser.js("location.reload()")
            self.browser.until("return document.querySelector('.case-head')")
        for name in IDS:
            self.browser.js("location.hash = 'case/' + encodeURIComponent(arguments[0])", name)
            self.browser.settle()
            self.assertEqual(self.browser.js("return document.title.includes(arguments[0])", name.strip() or "–"), True, name)
        self.browser.go("#case/no%20such")
        self.assertIn("no case with this id", self.browser.text("#viewer"))
        self.quiet()

    def test_fragments_written_by_hand_do_no_harm(self):
        self.browser.open(self.page)
        for fragment in ("#cases?field=no+such", "#cases?slice=x", "#cases?slice=meta.language%3Dno", "#case/%", "#cases?verdict=no&kind=__proto__", "#cases?sort=__proto__", "#no-such", "#%E0%A4%A", "#cases?change=fixed"):
            self.browser.go(fragment)
        self.assertEqual(self.browser.js("return document.querySelectorAll('#viewer').length"), 1)
        self.quiet()

    # What is in the pages of cases ----------------------------------------------------------------------------------------

    def test_line_items_are_linked(self):
        page = self.sample("invoices", "rules/invoice.lua", "samples/invoices.jsonl")
        self.browser.open(page, "#case/line-items-missing-and-extra")
        self.assertEqual(self.browser.js("return [document.querySelectorAll('.links path').length, document.querySelectorAll('.item.unmatched').length]"), [4, 2])
        self.browser.open(page, "#case/long-items-shuffled")
        self.assertEqual(self.browser.js("return [document.querySelectorAll('.links path').length, document.querySelectorAll('.item.unmatched[data-side=expected]').length]"), [29, 1])
        self.quiet()

    def test_boxes_are_drawn(self):
        painted = "const c = document.querySelector('.boxes canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) if (d[i]) n++; return n"
        self.browser.open(self.sample("layout", "rules/layout.lua", "samples/layout.jsonl"), "#case/letter-signature-elsewhere")
        self.assertGreater(self.browser.js(painted), 2000)
        self.assertIn("5 expected shapes, 5 candidate shapes, 4 matched", self.browser.js("return document.querySelector('.boxes canvas').getAttribute('aria-label')"))
        self.browser.open(self.sample("detection", "rules/detection.lua", "samples/detection/images.jsonl"), "#case/103")
        self.assertGreater(self.browser.js(painted), 2000)
        self.assertIn("1 expected shape, 3 candidate shapes, 1 matched", self.browser.js("return document.querySelector('.boxes canvas').getAttribute('aria-label')"))
        self.quiet()

    def test_the_page_image_is_drawn_or_said_to_be_missing(self):
        shutil.copy(os.path.join(ROOT, "tests/browser/page.png"), self.folder)
        rules = self.engine.write("boxes.lua", "return ee.rules { ee.iou_score { 'boxes', match = 'optimal' } }")
        side = {"boxes": [[10, 10, 50, 30]]}
        names = ["page.png", "not there.png", "https://example.com/a.png"]
        records = [{"id": str(i), "image": name, "expected": side, "candidate": side} for i, name in enumerate(names)]
        page, _ = self.engine.page("images", rules, self.engine.records("images.jsonl", records), "--detail", "full")
        self.browser.open(page, "#case/0")
        self.browser.until("const c = document.querySelector('canvas').getContext('2d'); return document.querySelector('.boxes .note').hidden && document.querySelector('.figure').offsetHeight > 100")
        self.browser.open(page, "#case/1")
        self.browser.until("return /'not there.png', which is not there/.test(document.querySelector('.boxes .note').textContent)")
        self.browser.open(page, "#case/2")
        self.assertIn("not opened", self.browser.text(".boxes .note"))
        self.assertEqual([url for url in self.browser.logs()[1] if not url.startswith(("file:", "about:"))], [])

    def test_spans_are_marked_in_the_text(self):
        self.browser.open(self.sample("extraction", "rules/extraction.lua", "samples/extractions.jsonl"), "#case/review-paraphrase")
        self.assertEqual(self.browser.js("return [...document.querySelectorAll('.document mark')].map((m) => m.querySelector('.long') ? '' : m.lastChild.textContent)"), ["sound great", "the left ear pad came off within a week"])
        self.assertEqual(self.browser.js("return document.querySelectorAll('.document mark.fault').length"), 1)

    def test_every_value_of_a_case_is_listed_with_detail_full(self):
        page = self.sample("invoices", "rules/invoice.lua", "samples/invoices.jsonl")
        rows = self.samples["invoices"][1]
        row = next(row for row in rows if row["id"] == "header-fp-fn")
        outcomes = [outcome for result in row["evaluator_results"] for outcome in result["details"].get("outcomes", [])]
        self.browser.open(page, "#case/header-fp-fn")
        self.assertEqual(self.browser.js("return document.querySelectorAll('table.outcomes tbody tr').length"), len(outcomes))
        self.assertNotIn("--detail full", self.browser.text(".case-view"))

    def test_numbers_are_shown_as_they_are_written(self):
        rules = self.engine.write("exact.lua", "return ee.rules { ee.fields { ee.exact 'n', ee.exact 'm' } }")
        record = '{"id": "n", "expected": {"n": 12345678901234567890, "m": 1}, "candidate": {"n": 12345678901234567891, "m": 1e999}}\n'
        page, _ = self.engine.page("numbers", rules, self.engine.write("numbers.jsonl", record))
        self.browser.open(page, "#case/n")
        text = self.browser.text(".case-view")
        for number in ("12345678901234567890", "12345678901234567891", "1e999"):
            self.assertIn(number, text)

    # Hostile and unusual data --------------------------------------------------------------------------------------------

    def test_hostile_values_are_inert(self):
        evil = ["<img src=x onerror=\"window.hacked=1\">", "</script><script>window.hacked=1</script>", "<!--<script>", "]]>", "javascript:window.hacked=1", "\u202eRTL \u2066x\u2069", "مرحبا بالعالم", "line\u2028separator", "a\u0000b", "${window.hacked=1}", "\"><svg onload=window.hacked=1>"]
        records = []
        for i, text in enumerate(evil):
            expected = {"number": text, "supplier": text + "x", "total": 1, "note": "n", "items": [{"text": text, "price": 1}], "__proto__": {"hacked": text}, "constructor": text, text: text}
            candidate = {"number": "x" + text, "supplier": text, "total": 2, "note": text, "items": [{"text": text, "price": 2}], "__proto__": {"hacked": 1}, "toString": 1}
            records.append({"id": text, "meta": {"language": text}, "expected": expected, "candidate": candidate})
        page, _ = self.engine.page("evil", self.rules, self.engine.records("evil.jsonl", records), "--detail", "full")
        self.browser.open(page, "#cases")
        self.assertGreater(self.shown()[0], 2 * len(evil))
        self.assertIn("line‹LS›separator", self.browser.js("return document.querySelector('#viewer').textContent") + "".join(self.text_of(page, "line\u2028separator")))
        for text in evil:
            content = self.text_of(page, text)
            self.assertIn("__proto__", content)
        self.assertEqual(self.browser.js("return [window.hacked ?? null, ({}).hacked ?? null, document.querySelectorAll('#viewer :is(img, script, iframe, svg[onload])').length]"), [None, None, 0])
        self.quiet()

    def text_of(self, page, name):
        del page
        self.browser.js("location.hash = 'case/' + encodeURIComponent(arguments[0])", name)
        self.browser.settle()
        return self.browser.text(".case-view")

    def test_a_string_of_10_mb_does_not_stop_the_page(self):
        long = "lorem ipsum dolor " * 580000
        record = {"id": "long", "meta": {"language": "la"}, "expected": {"number": long, "supplier": "a", "total": 1, "note": long[:60000], "items": []}, "candidate": {"number": long + "!", "supplier": "b" * 1000000, "total": 2, "note": long[5:60000], "items": []}}
        page, _ = self.engine.page("long", self.rules, self.engine.records("long.jsonl", [record]), "--detail", "full")
        start = time.monotonic()
        self.browser.open(page, "#cases")
        self.browser.go("#case/long")
        self.assertEqual(self.browser.text(".case-head h1"), "long")
        self.browser.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        self.browser.settle()
        self.assertLess(time.monotonic() - start, 5)
        self.quiet()

    def test_a_run_without_cases_and_a_run_of_one(self):
        page, rows = self.engine.page("none", self.rules, self.engine.records("none.jsonl", []))
        self.assertEqual(rows, [])
        self.browser.open(page)
        if self.browser.js("return Boolean(document.getElementById('ee-index'))"):
            self.browser.go("#cases")
            self.assertIn("no cases", self.browser.text("#viewer"))
        self.quiet()
        good = data.record(random.Random(3), 1)
        good["candidate"] = good["expected"]
        page, _ = self.engine.page("one", self.rules, self.engine.records("one.jsonl", [good]))
        self.browser.open(page, "#cases")
        self.assertIn("Nothing is wrong", self.browser.text("#viewer"))
        self.browser.go("#cases?show=all")
        self.browser.press("Enter")
        self.assertEqual(self.browser.text(".case-head h1"), "inv/1")
        self.quiet()

    def test_cases_that_are_not_packed(self):
        def unpacked(match):
            text = zlib.decompress(base64.b64decode(match.group(3)), -15).decode().replace("<", "\\u003c")
            return match.group(1) + "json" + match.group(2) + text + "</script>"

        with open(self.page, encoding="utf-8") as file:
            text = re.sub(r'(<script type="text/plain"[^>]*data-encoding=")deflate("[^>]*>)([^<]*)</script>', unpacked, file.read())
        self.assertIn('data-encoding="json"', text)
        self.browser.open(self.engine.write("plain.html", text), "#cases?q=acme")
        self.assertEqual(self.shown(), self.expected({"q": "acme"}))
        self.quiet()

    def test_browsers_that_refuse_something(self):
        refuse = self.browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.DecompressionStream; Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });"})
        try:
            self.browser.open(self.page)
            self.assertTrue(self.browser.js("return document.getElementById('summary').offsetHeight > 0"))
            self.browser.js("document.getElementById('theme-dark').click()")
            self.browser.go("#cases")
            self.assertIn("cannot be read", self.browser.text("#viewer"))
            self.quiet()
        finally:
            self.browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", refuse)

    def test_documents_without_cases(self):
        page = self.engine.path("audit.html")
        self.engine.run("audit", self.rules, self.engine.path("data.jsonl"), "-o", page)
        self.browser.open(page)
        self.browser.press("m", "?")
        self.assertEqual(self.browser.js("return [document.getElementById('ee-bar'), document.querySelectorAll('dialog').length]"), [None, 0])
        self.quiet()

    # Comparisons ----------------------------------------------------------------------------------------------------------

    def test_a_comparison_shows_what_each_run_says(self):
        old, new = self.engine.path("old.rows"), self.engine.path("new.rows")
        base = data.records(60, SEED)
        later = json.loads(json.dumps(base))
        for i, record in enumerate(later):
            record["candidate"] = record["expected"] if i % 3 == 0 else dict(record["candidate"], total=-1) if i % 3 == 1 else record["candidate"]
        self.engine.run(self.rules, self.engine.records("old.jsonl", base), "--results", old, "-q")
        self.engine.run(self.rules, self.engine.records("new.jsonl", later), "--results", new, "-q")
        page = self.engine.path("comparison.html")
        self.engine.run("compare", old, new, "-o", page)
        self.browser.open(page, "#cases")
        if not self.browser.js("return Boolean(document.getElementById('ee-index'))"):
            self.skipTest("comparisons have no cases yet")
        rows = {}
        for path in (old, new):
            with open(path, encoding="utf-8") as file:
                rows[path] = {row["id"]: data.wrong_fields(row) for row in map(json.loads, file)}
        changes = {name: "broken" if after - rows[old][name] else "fixed" if rows[old][name] - after else "still wrong" if after else "both right" for name, after in rows[new].items()}
        for change in ("fixed", "broken", "still wrong", "both right"):
            self.browser.go("#cases?show=all&change=" + change.replace(" ", "+"))
            self.assertEqual(self.shown()[1], list(changes.values()).count(change), change)
        self.browser.go("#cases?change=broken")
        self.browser.press("Enter")
        self.assertIn("broken", self.browser.text(".case-view"))
        # The first value is expected, old and new; what is right has a tick.
        values = self.browser.js("return [...document.querySelector('table.compared tbody tr').cells].slice(1, 4).map((cell) => cell.textContent)")
        self.assertEqual([values[1], values[2]], ["✓ " + values[0], "-1"])
        self.quiet()

    def test_several_runs_have_the_reason_of_a_run_that_the_list_shows(self):
        rows = []
        for name, difference in (("first", 10), ("between", 900), ("last", 0)):
            records = [{"id": "a", "expected": {"total": 42}, "candidate": {"total": 42 + difference}}]
            rows.append(self.engine.path(name + ".rows"))
            self.engine.run(self.total_rules(), self.engine.records(name + ".jsonl", records), "--results", rows[-1], "-q")
        page = self.engine.path("runs.html")
        self.engine.run("compare", *rows, "-o", page)
        self.browser.open(page, "#cases")
        cells = self.browser.js("return [...document.querySelector('.grid-body .grid-row').children].slice(2).map((cell) => cell.textContent)")
        self.assertEqual(cells[:3], ["42", "52", "✓ 42"])
        self.assertIn("diff=10,", cells[3])
        self.quiet()

    def total_rules(self):
        path = self.engine.path("total.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write('return ee.rules { ee.fields { name = "header", ee.numeric { "total", tolerance = 0.01 } } }\n')
        return path

    # Looks ----------------------------------------------------------------------------------------------------------------

    def views(self):
        invoices = self.sample("invoices", "rules/invoice.lua", "samples/invoices.jsonl")
        return [(invoices, "#summary"), (invoices, "#cases"), (invoices, "#case/line-items-missing-and-extra"), (self.sample("layout", "rules/layout.lua", "samples/layout.jsonl"), "#case/letter-signature-elsewhere"),
                (self.sample("extraction", "rules/extraction.lua", "samples/extractions.jsonl"), "#case/review-paraphrase")]

    def test_nothing_is_wider_than_the_screen_and_text_can_be_told_from_its_ground(self):
        with open(os.path.join(ROOT, "tests/browser/contrast.js"), encoding="utf-8") as file:
            contrast = file.read()
        for page, fragment in self.views():
            self.browser.scheme("light")
            self.browser.size(1440)
            self.browser.open(page, fragment)
            for width in (320, 390, 820, 1440):
                self.browser.size(width)
                self.browser.settle()
                self.assertEqual(self.browser.js("return document.documentElement.scrollWidth - document.documentElement.clientWidth"), 0, "%d %s" % (width, fragment))
            for scheme in ("light", "dark"):
                self.browser.scheme(scheme)
                self.assertEqual(self.browser.js(contrast), [], "WCAG AA, %s %s" % (scheme, fragment))

    def test_empty_lists_say_why(self):
        self.browser.open(self.page, "#cases?q=inv/" + next(row["id"][4:] for row in self.rows if row["score"] == 1 and len(row["id"]) == 8))
        self.browser.until("return /Nothing is wrong in the case that matches/.test(document.querySelector('.empty').textContent)")
        self.browser.js("document.querySelector('.empty button').click()")
        self.browser.settle()
        self.assertEqual(self.shown(), (0, 1))
        self.browser.go("#cases?judge=header&field=no+such")
        self.assertIn("'header' lists no mismatches under 'no such'", self.browser.text(".empty"))
        self.browser.go("#cases?judge=header&q=no+such+text")
        self.assertIn("Nothing matches", self.browser.text(".empty"))

    def test_colours_can_be_chosen(self):
        self.browser.open(self.page, "#cases")
        for name, scheme in (("dark", "dark"), ("light", "light"), ("auto", "light dark")):
            self.browser.js("document.getElementById('theme-' + arguments[0]).click()", name)
            self.assertEqual(self.browser.js("return getComputedStyle(document.documentElement).colorScheme"), scheme)
        self.browser.js("document.getElementById('theme-dark').click()")
        self.browser.open(self.page, "#cases")
        self.assertEqual(self.browser.js("return getComputedStyle(document.documentElement).colorScheme"), "dark")
        self.browser.js("document.getElementById('theme-auto').click()")
        self.quiet()

    def test_screen_readers_get_rows_and_counts(self):
        self.browser.open(self.page, "#cases?verdict=fail")
        mismatches, in_cases = self.expected({"verdict": "fail"})
        self.assertEqual(self.browser.js("return document.getElementById('ee-live').textContent"), "%s mismatches in %s cases of %s" % tuple(format(n, ",") for n in (mismatches, in_cases, CASES)))
        grid = self.browser.js("const g = document.getElementById('ee-grid'); return [g.getAttribute('role'), g.getAttribute('aria-rowcount'), Boolean(document.getElementById(g.getAttribute('aria-activedescendant')))]")
        self.assertEqual(grid, ["grid", str(len([entry for entry in self.entries if data.matches(entry, {"verdict": "fail"})]) + 1), True])
        rows = self.browser.js("return [...document.querySelectorAll('.grid-row')].map((r) => Number(r.getAttribute('aria-rowindex')))")
        self.assertEqual(rows, list(range(1, len(rows) + 1)))
        unnamed = self.browser.js("return [...document.querySelectorAll('button, select, input, a, canvas')].filter((e) => e.offsetParent && !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length || e.placeholder)).map((e) => e.outerHTML.slice(0, 100))")
        self.assertEqual(unnamed, [])

    # The character diff ---------------------------------------------------------------------------------------------------

    def test_a_diff_keeps_both_texts_and_marks_no_more_than_differs(self):
        self.browser.open(self.page)
        with open(os.path.join(ROOT, "tests/browser/diff_twin.js"), encoding="utf-8") as file:
            self.assertEqual(self.browser.js(file.read(), SEED), [])
