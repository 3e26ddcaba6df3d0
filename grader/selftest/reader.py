"""A reader who types what the pages show."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Sequence

from grader.processes import Ended
from grader.selftest.workshop import Workshop

_SECONDS = 600.0

# Port 7000 and the newest echo-server are then nobody else's.
_ALONE = [
    "bwrap", "--dev-bind", "/", "/", "--unshare-net", "--unshare-pid", "--proc", "/proc",
    "--die-with-parent", *(["--cap-add", "ALL"] if os.getuid() == 0 else []), "--",
]  # fmt: skip
# What the reader does in one terminal while a server runs in another one, which is told to end when the
# client has ended, or has said what is waited for.
_BESIDE = """\
{{ {server}
}} >server.txt 2>&1 &
server=$!
until ss -tln | grep -q ':7000 '; do
    kill -0 $server || {{ cat server.txt; exit 99; }}
    sleep 0.05
done
{{ echo hello; sleep 1; }} | sh -c {client} >client.txt 2>&1 &
client=$!
while kill -0 $client 2>/dev/null && ! grep -q {text} client.txt; do
    sleep 0.05
done
kill -TERM $(pgrep -n -x echo-server || echo $server)
wait $client
code=$?
wait $server
ended=$?
cat client.txt server.txt
[ $code != 0 ] || code=$ended
exit $code
"""

# ^C as soon as it has printed something. (As SIGTERM: a shell's background job is deaf to SIGINT.)
_UNTIL = """\
{command} >said.txt 2>&1 &
pid=$!
until grep -q {text} said.txt; do
    kill -0 $pid || break
    sleep 0.1
done
kill -TERM $pid
wait $pid
code=$?
cat said.txt
exit $code
"""


class Reader:
    def __init__(self, workshop: Workshop, folder: Path) -> None:
        self._workshop = workshop
        self.folder = folder

    def type(self, command: str) -> Ended:
        if not self._workshop.sandboxed:
            command = re.sub(r"\./lab (grade|submit|batch)\b", r"./lab \1 --no-sandbox", command)
        return self._run([], command)

    def type_beside(self, server: str, client: str, said: str = "") -> Ended:
        """The exit code is the server's, if the client's is 0."""
        text = shlex.quote(said or "nothing that anybody says")
        script = _BESIDE.format(server=server, client=shlex.quote(client), text=text)
        return self._run(_ALONE if self._workshop.sandboxed else [], script)

    def interrupt(self, command: str, said: str) -> Ended:
        return self._run([], _UNTIL.format(command=command, text=shlex.quote(said)))

    def _run(self, around: Sequence[str], script: str) -> Ended:
        script = f"cd {shlex.quote(str(self.folder))} || exit 99\n{script}\n"
        return self._workshop.try_run([*around, "sh", "-c", script], seconds=_SECONDS)
