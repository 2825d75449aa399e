"""The foreign tools that are large, and run in the long tests only."""

import os
import subprocess
import sys
from pathlib import Path

LONG = "TAPEDECK_LONG_TESTS" in os.environ
NEEDED = {"vcr": "ruby", "wiremock": "java", "chromium": "chromium", "firefox": "firefox-esr"}


def large_tools() -> Path:
    """An environment of its own: playwright wants another greenlet than httpbin."""
    folder = Path(sys.prefix).parent / "foreign"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        wanted = ["playwright==1.65.2", "marionette-driver==3.7.1", "requests==2.34.2", "wiremock==2.7.0"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
    return python
