"""A terminal of our own: what a person would see."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from deck import CLEAN, assert_no_crash, binary

ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Seen:
    def __init__(self, text: str, returncode: int):
        self.raw = text
        self.returncode = returncode

    @property
    def plain(self) -> str:
        return ESCAPE.sub("", self.raw).replace("\r\n", "\n")

    @property
    def lines(self) -> list[str]:
        return self.plain.splitlines()


def on_terminal(*arguments, command=None, columns=80, cwd=None, env=None, keys=None, timeout=30) -> Seen:
    """Runs `tapedeck`, or a command, with a terminal of this width as its standard streams. `keys` are typed once a text
    was seen."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {name: value for name, value in CLEAN.items() if name not in ("COLUMNS", "TERM")}
    process = subprocess.Popen(
        [*(command or [binary()]), *map(str, arguments)], cwd=cwd, env={**environment, "TERM": "xterm", **(env or {})},
        stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(terminal)
    seen, waiting = b"", dict(keys or {})
    deadline = time.monotonic() + timeout
    while True:
        assert time.monotonic() < deadline, f"still running after {timeout} s: {seen!r}"
        if not select.select([main], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(main, 65536)
        except OSError:  # the last holder of the terminal is gone
            break
        if not piece:
            break
        seen += piece
        for text in [text for text in waiting if text in seen]:
            os.write(main, waiting.pop(text))
    os.close(main)
    text = seen.decode(errors="surrogateescape")
    assert_no_crash(process.wait(10), text)
    return Seen(text, process.returncode)
