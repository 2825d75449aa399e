"""The cases of autobahntestsuite's fuzzing client, run against a WebSocket echo server.

    python autobahn_cases.py URL [--cases 1.*,5.19] [--parallel N]      prints {case: [behavior, behaviorClose]} as JSON

The suite was written for Python 2, where a string is bytes. Here its sources are translated with 2to3 into a temporary
folder, read as Latin-1 so that each character is a byte still, and bytes become such strings, and strings bytes, at the
edge to autobahn's protocol. Its cases, what they expect and how they judge are the suite's own.
"""

import argparse
import binascii
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path


# Of compression, which is not agreed on, and of a case that the suite itself leaves out.
UNUSED = r"from case(12|13)_x_x|from case9_9_1|Case1[23]_X_X"


def characters(data) -> str:
    return bytes(data).decode("latin-1")


def octets(text) -> bytes:
    return text.encode("latin-1") if isinstance(text, str) else text


def translated() -> Path:
    """A folder with the suite for Python 3."""
    source = Path(importlib.util.find_spec("autobahntestsuite").submodule_search_locations[0])
    folder = Path(tempfile.mkdtemp())
    target = folder / "autobahncases"
    (target / "case").mkdir(parents=True)
    for path in [source / "caseset.py", source / "util.py", *(source / "case").glob("*.py")]:
        if re.match("case12|case13|case9_9", path.name):
            continue
        text = "".join(line for line in path.read_bytes().decode("latin-1").splitlines(True) if not re.search(UNUSED, line))
        (target / path.relative_to(source)).write_text(text, encoding="utf-8")
    (target / "__init__.py").touch()
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "lib2to3", "-w", "-n", "--no-diffs", str(target)], check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for path in target.rglob("*.py"):
        text = path.read_text()
        # Also what 2to3 leaves: modules' new place, Python 2's classes and its division.
        for old, new in [("from autobahntestsuite.", "from autobahncases."), ("(object, Case", "(Case"), (" / ", " // ")]:
            text = text.replace(old, new)
        path.write_text(text)
    return folder


def adapt():
    """Lets what the cases call take strings of Latin-1."""
    hexadecimal = binascii.b2a_hex
    binascii.b2a_hex = lambda data: hexadecimal(octets(data)).decode()
    from autobahn.websocket.utf8validator import Utf8Validator
    validate = Utf8Validator.validate
    Utf8Validator.validate = lambda self, data: validate(self, octets(data))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("url")
    options.add_argument("--cases", default="*")
    options.add_argument("--parallel", type=int, default=8)
    options.add_argument("--seconds", type=float, default=600, help="those that run longer have no outcome")
    options = options.parse_args()
    sys.path.insert(0, str(translated()))
    adapt()
    from collections import Counter
    from autobahn.twisted.websocket import WebSocketClientFactory, WebSocketClientProtocol, connectWS
    from autobahncases.case import Case, CaseBasename, CaseCategories, Cases, CaseSetname, CaseSubCategories
    from autobahncases.caseset import CaseSet
    from twisted.internet import reactor

    class Protocol(WebSocketClientProtocol):
        """What the suite's FuzzingProtocol offers to a case, without its wire log."""

        createWirelog = False
        runCase = None
        connectionWasOpen = False

        def connectionMade(self):
            super().connectionMade()
            self.runCase = self.factory.case(self)
            self.txFrameStats, self.rxFrameStats = Counter(), Counter()

        def onOpen(self):
            self.connectionWasOpen = True
            self.runCase.onOpen()

        def onMessage(self, payload, isBinary):
            self.runCase.onMessage(characters(payload), isBinary)

        def onPing(self, payload):
            self.runCase.onPing(characters(payload))
            super().onPing(payload)

        def onPong(self, payload):
            self.runCase.onPong(characters(payload))

        def onClose(self, wasClean, code, reason):
            self.runCase.onClose(wasClean, code, reason)

        def connectionLost(self, reason):
            super().connectionLost(reason)
            self.runCase.onConnectionLost(self.failedByMe)
            self.factory.done(self.runCase)

        def sendFrame(self, opcode, payload=b"", **others):
            super().sendFrame(opcode, octets(payload), **others)

        def sendMessage(self, payload, isBinary=False, **others):
            super().sendMessage(octets(payload), isBinary, **others)

        def sendMessageFrameData(self, payload, **others):
            return super().sendMessageFrameData(octets(payload), **others)

        def sendMessageFrame(self, payload, **others):
            return super().sendMessageFrame(octets(payload), **others)

        def sendPing(self, payload=None):
            super().sendPing(octets(payload))

        def sendData(self, data, *others, **more):
            super().sendData(octets(data), *others, **more)

        def sendCloseFrame(self, code=None, reasonUtf8=None, isReply=False):
            super().sendCloseFrame(code, octets(reasonUtf8), isReply)

        def sendClose(self, code=None, reason=None):
            # The public one refuses codes that some cases send.
            self.sendCloseFrame(code=code, reasonUtf8=reason)

        def later(self, seconds, action):
            reactor.callLater(seconds, lambda: self.state != self.STATE_CLOSED and action())

        def continueLater(self, delay, fun, tag=None):
            self.later(delay, fun)

        def killAfter(self, delay):
            self.later(delay * 5, lambda: self.failConnection() if hasattr(self, "failConnection") else self.dropConnection(True))

        def closeAfter(self, delay):
            self.later(delay * 5, lambda: self.sendClose())

        def enableWirelog(self, enable):
            pass

        def logTxFrame(self, frameHeader, *_):
            self.txFrameStats[frameHeader.opcode] += 1

        def logRxFrame(self, frameHeader, *_):
            self.rxFrameStats[frameHeader.opcode] += 1

    chosen = CaseSet(CaseSetname, CaseBasename, Cases, CaseCategories, CaseSubCategories)
    names = chosen.parseSpecCases({"cases": options.cases.split(","), "exclude-cases": []})
    left, running, outcomes = list(reversed(names)), [0], {}

    def begin():
        while left and running[0] < options.parallel:
            name = left.pop()
            running[0] += 1
            factory = WebSocketClientFactory(options.url)
            factory.protocol = Protocol
            factory.noisy = False
            factory.logFrames = True
            factory.setProtocolOptions(
                failByDrop=False, serverConnectionDropTimeout=30, closeHandshakeTimeout=30, openHandshakeTimeout=30,
                # As the suite sets them: its cases break the rules on purpose.
                maskClientFrames=True, applyMask=True, utf8validateIncoming=True)
            factory.case = chosen.CasesById[name]
            factory.done = lambda case, name=name: end(name, case)
            factory.clientConnectionFailed = lambda *_, name=name: end(name, None)
            connectWS(factory, timeout=30)
        if not left and not running[0]:
            reactor.stop()

    def end(name, case):
        running[0] -= 1
        outcomes[name] = [case.behavior, case.behaviorClose] if case else ["FAILED", "no connection"]
        reactor.callLater(0, begin)

    reactor.callWhenRunning(begin)
    reactor.callLater(options.seconds, lambda: reactor.running and reactor.stop())
    reactor.run()
    print(json.dumps({name: outcomes.get(name, ["FAILED", "did not end"]) for name in names}))


if __name__ == "__main__":
    main()
