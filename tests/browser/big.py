"""Large pages: size, time to write, first paint, time until the list can be used, a filter, a search through all values, memory."""
import os
import random
import tempfile
import time

import data
from browser import Browser, Evalengine


def main():
    rng = random.Random(1)
    status = 0
    print("%9s %9s %8s %12s %9s %9s %9s %9s %9s" % ("cases", "page MB", "write s", "first paint", "ready", "filter", "sort id", "search", "heap MB"))
    with tempfile.TemporaryDirectory(prefix="evalengine-browser-") as folder:
        engine = Evalengine(os.environ["EVALENGINE"], folder)
        rules = engine.write("rules.lua", data.RULES)
        for count in (100, 10000, 100000):
            with open(engine.path("data.jsonl"), "w", encoding="utf-8") as file:
                for number in range(count):
                    file.write(data.json_text(data.record(rng, number)) + "\n")
            page = engine.path("%d.html" % count)
            start = time.monotonic()
            engine.run(rules, engine.path("data.jsonl"), "-o", page, "-q")
            written = time.monotonic() - start
            browser = Browser(os.environ["CHROMIUM"], os.environ["CHROMEDRIVER"])
            browser.size(1440)
            browser.driver.get("file://" + page)
            browser.until("return document.documentElement.dataset.ready === 'true'", seconds=60)
            paint, ready = browser.js("return [performance.getEntriesByName('first-contentful-paint')[0]?.startTime, performance.now()]")

            def timed(fragment, done):
                script = "const [fragment, finish] = arguments, start = performance.now(); location.hash = fragment; const look = () => (%s) ? finish(performance.now() - start) : setTimeout(look, 5); setTimeout(look, 0);" % done
                return browser.driver.execute_async_script(script, fragment)

            drawn = "document.querySelector('.grid-body .grid-row') && !document.querySelector('.grid-row .waiting') && !/searching/.test(document.querySelector('.count').textContent)"
            timed("#cases", drawn)
            filtered = timed("#cases?field=total&class=incorrect", drawn + " && document.getElementById('ee-filter-field').value === 'total'")
            by_id = timed("#cases?sort=id", drawn + " && document.getElementById('ee-filter-sort').value === 'id'")
            searched = timed("#cases?q=Nobody", drawn + " && document.getElementById('ee-search').value === 'Nobody'")
            heap = browser.js("return performance.memory.usedJSHeapSize") / 1e6
            browser.close()
            print("%9d %9.1f %8.1f %9.0f ms %6.0f ms %6.0f ms %6.0f ms %6.0f ms %9.0f" % (count, os.path.getsize(page) / 1e6, written, paint, ready, filtered, by_id, searched, heap), flush=True)
            if paint > 2000:
                print("first paint takes longer than 2 s")
                status = 1
    return status
