"""What the tests of this folder share: a headless browser, pages written by evalengine, and waiting."""
import json
import os
import subprocess
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KEYS = {"Escape": Keys.ESCAPE, "Enter": Keys.ENTER, "Down": Keys.ARROW_DOWN, "End": Keys.END, "Home": Keys.HOME}


class Browser:
    """Chromium, with its console and its network requests recorded."""

    def __init__(self, chromium, driver):
        options = Options()
        options.binary_location = chromium
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--window-size=1440,900"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.driver.set_script_timeout(60)
        self.js = self.driver.execute_script

    def close(self):
        self.driver.quit()

    def size(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scheme(self, name):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}, {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def open(self, path, fragment=""):
        self.driver.get("about:blank")
        self.logs()
        self.driver.get("file://" + path + fragment)
        self.until("return document.documentElement.dataset.ready === 'true' || !document.getElementById('ee-index')")
        self.settle()

    def until(self, script, *arguments, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.js(script, *arguments)
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError("not within %d seconds: %s" % (seconds, script))

    def settle(self):
        """Two frames, and no rows that wait for their values."""
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));")
        self.until("return !document.querySelector('.grid-row .waiting') && !/searching|Unpacking|Reading/.test(document.getElementById('viewer')?.innerText.slice(0, 2000) || '')")

    def go(self, fragment):
        self.js("location.hash = arguments[0]", fragment)
        self.settle()

    def back(self):
        self.driver.back()
        self.settle()

    def press(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(KEYS.get(key, key))
        self.settle()

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? null", selector)

    def fragment(self):
        return self.js("return location.hash")

    def choose(self, select, value):
        self.js("const s = document.getElementById(arguments[0]); s.value = arguments[1]; s.dispatchEvent(new Event('change'));", select, value)
        self.settle()

    def logs(self):
        """Messages of the console, and addresses that were asked for, since the last call."""
        console = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return console, asked


class Evalengine:
    """The program, and a folder for what it writes."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def records(self, name, records):
        return self.write(name, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], cwd=ROOT, capture_output=True, text=True)
        if done.returncode not in (0, 1, 4):
            raise AssertionError("evalengine %s: status %d\n%s" % (" ".join(arguments), done.returncode, done.stderr))
        return done

    def page(self, name, *arguments):
        """The path of the page, and the rows of the same run."""
        page, rows = self.path(name + ".html"), self.path(name + ".rows")
        self.run(*arguments, "-o", page, "--results", rows, "-q")
        with open(rows, encoding="utf-8") as file:
            return page, [json.loads(line) for line in file]
