"""Opens a page in Chromium, if there is one, acts in it by a script, and gets what that returns."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Optional

_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM: Optional[str] = next(filter(None, map(shutil.which, _NAMES)), None)

_SECONDS = 120
_TRIES = 3  # on a busy machine Chromium may think that a page is done before it has begun
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--window-size=1280,900",
)  # fmt: skip
_ACTING = """
<script>
window.requestAnimationFrame = draw => setTimeout(draw, 16); // there is no screen to ask for frames
const failures = [];
window.addEventListener("error", event => failures.push(event.message));
window.addEventListener("securitypolicyviolation", event => failures.push(event.violatedDirective));
</script>
"""
_TELLING = """
<script>
const pause = () => new Promise(done => setTimeout(done, 100));
(async () => {
  await pause();
  const result = await (async () => { %s })();
  document.documentElement.dataset.result = JSON.stringify({ result, failures });
})();
</script>
"""
# Before its text has come, a frame holds an empty page.
_FINDING = """
const frame = document.querySelector("iframe");
const isThere = page => page.URL === "about:srcdoc" && page.readyState === "complete";
while (!isThere(frame.contentDocument)) await pause();
const page = frame.contentDocument;
"""


def act(folder: Path, page: str, script: str) -> Any:
    """`script`: body of an async function. Fails if the page has an error or breaks its policy."""
    path = folder / "acted.html"
    text = page.replace("<body>", "<body>" + _ACTING, 1)
    path.write_text(text.replace("</body>", _TELLING % script + "</body>"), encoding="utf-8")
    command = [str(CHROMIUM), *_OPTIONS, f"--user-data-dir={folder / 'chromium'}"]
    command += ["--virtual-time-budget=10000", "--dump-dom", path.as_uri()]
    found: Optional[re.Match[str]] = None
    for _ in range(_TRIES):
        if found is None:
            done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=True)
            found = re.search(r'<html[^>]* data-result="([^"]*)"', done.stdout.decode("utf-8"))
    assert found is not None, "the page's scripts did not run"
    told = json.loads(html.unescape(found[1]))
    assert told["failures"] == []
    return told["result"]


def look(folder: Path, page: str, script: str, width: int) -> Any:
    """The same from outside of a page that has no scripts, and may not have: `script` finds it, so many
    pixels wide, as `page`."""
    frame = f'<iframe srcdoc="{html.escape(page)}" style="border: 0; width: {width}px; height: 900px">'
    outer = f"<!DOCTYPE html>\n<html><body>{frame}</iframe></body></html>"
    return act(folder, outer, _FINDING + script)
