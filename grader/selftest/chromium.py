"""A Chromium without a screen, told what to do through its DevTools protocol: real keys, real clicks, and
whatever it finds wrong with a page."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from grader.processes import clean_environment

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 60.0
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
)  # fmt: skip
_PROBLEMS = {"error", "warning", "assert"}

Json = Dict[str, Any]


class BrowserFailed(ValueError):
    """Something could not be done in it."""


def find_chromium() -> Optional[str]:
    return next(filter(None, map(shutil.which, _NAMES)), None)


class Tab:
    """One page. What it complains of is collected in `problems`."""

    def __init__(self, connection: "_Connection") -> None:
        self._connection = connection
        target = connection.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = connection.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = str(attached["sessionId"])
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")

    def look(self, width: int, height: int, dark: bool) -> None:
        """At pages of this size and theme."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", size)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", {"features": [theme]})

    def open(self, url: str) -> None:
        self._connection.events.clear()
        told = self._call("Page.navigate", {"url": url})
        if "errorText" in told:
            raise BrowserFailed(f"{url}: {told['errorText']}")
        self._connection.wait_for("Page.loadEventFired", self._session)

    def run(self, script: str) -> Any:
        """What the body of an async function returns."""
        asked = {
            "expression": f"(async () => {{ {script} }})()",
            "awaitPromise": True,
            "returnByValue": True,
        }
        told = self._call("Runtime.evaluate", asked)
        if "exceptionDetails" in told:
            raise BrowserFailed(str(told["exceptionDetails"].get("exception", {}).get("description")))
        return told["result"].get("value")

    def press(self, *keys: str) -> None:
        for key in keys:
            event: Json = {"key": key, "text": key} if len(key) == 1 else {"key": key}
            self._call("Input.dispatchKeyEvent", {"type": "keyDown", **event})
            self._call("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})

    def click(self, selector: str) -> None:
        """Where it is: what covers it gets the click."""
        x, y = self.run(
            f"const at = document.querySelector({json.dumps(selector)});"
            "at.scrollIntoView({block: 'nearest'});"
            "const box = at.getClientRects()[0];"
            "return [box.x + box.width / 2, box.y + box.height / 2];"
        )
        for kind in ("mousePressed", "mouseReleased"):
            event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self._call("Input.dispatchMouseEvent", event)

    def screenshot(self) -> bytes:
        return base64.b64decode(self._call("Page.captureScreenshot")["data"])

    def problems(self) -> List[str]:
        """Errors and warnings since it was opened."""
        self.run("await new Promise(done => setTimeout(done, 0))")  # so that it has told all
        found = []
        for event in self._connection.events:
            told = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(told["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled" and told["type"] in _PROBLEMS:
                found.append(f"console.{told['type']}: {told['args']}")
            elif event["method"] == "Log.entryAdded" and told["entry"]["level"] in _PROBLEMS:
                found.append(str(told["entry"]["text"]))
        return found

    def _call(self, method: str, parameters: Optional[Json] = None) -> Json:
        return self._connection.call(method, parameters or {}, self._session)


class _Connection:
    """Messages of JSON, each with a zero byte behind it, through two pipes."""

    def __init__(self, reader: int, writer: int) -> None:
        self.events: List[Json] = []
        self._reader = reader
        self._writer = writer
        self._number = 0
        self._rest = b""

    def call(self, method: str, parameters: Json, session: Optional[str] = None) -> Json:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise BrowserFailed(f"{method}: {answer['error']}")
                result: Json = answer["result"]
                return result

    def wait_for(self, method: str, session: str) -> None:
        while not any(e["method"] == method and e.get("sessionId") == session for e in self.events):
            self._receive()

    def _receive(self) -> Json:
        """Events are also kept."""
        end = time.monotonic() + _SECONDS
        while b"\0" not in self._rest:
            if not select.select([self._reader], [], [], max(0.0, end - time.monotonic()))[0]:
                raise BrowserFailed(f"Chromium says nothing for {_SECONDS:g} s")
            data = os.read(self._reader, 1 << 20)
            if not data:
                raise BrowserFailed("Chromium has ended")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message: Json = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message


@contextlib.contextmanager
def chromium(program: str, folder: Path) -> Iterator[Tab]:
    """`folder`: for what it keeps."""
    its_reader, writer = _pipe()
    reader, its_writer = _pipe()
    command = [program, *_OPTIONS, "--remote-debugging-pipe", f"--user-data-dir={folder / 'chromium'}"]
    process = subprocess.Popen(
        [sys.executable, "-c", _AS_3_AND_4, str(its_reader), str(its_writer), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=clean_environment(),
        pass_fds=(its_reader, its_writer),
        start_new_session=True,
    )
    os.close(its_reader)
    os.close(its_writer)
    connection = _Connection(reader, writer)
    try:
        yield Tab(connection)
        connection.call("Browser.close", {})
    finally:
        os.close(reader)
        os.close(writer)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


_AS_3_AND_4 = """\
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def _pipe() -> "tuple[int, int]":
    """Of descriptors that are not 3 or 4."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
