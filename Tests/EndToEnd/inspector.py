"""The inspector's page in a browser, as a person uses it: Debian's Chromium, driven by Playwright."""

import mimetypes
import os
import shutil
from pathlib import Path

from playwright.sync_api import TimeoutError

from deck import ROOT
from steering import Admin

PICTURES = ROOT / "Sources" / "Tapedeck" / "Tapedeck.docc"
LARGEST_PICTURE = 200_000
# What must never happen, noted from the first moment of the page on.
WATCH = """
window.__reports = [];
document.addEventListener('securitypolicyviolation', (event) => window.__reports.push(event.violatedDirective + ' ' + event.blockedURI));
"""


def launch(playwright):
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])


class Page:
    """The page of one proxy, opened with a code of its own."""

    def __init__(self, browser, admin: Admin, theme="light", width=1280, height=720):
        self.admin = admin
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, accept_downloads=True,
            permissions=["clipboard-read", "clipboard-write"])
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.add_init_script(WATCH)
        self.errors: list[str] = []
        self.requested: set[str] = set()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: self.errors.append(f"a dialog opened: {dialog.message}"))
        self.page.on("request", lambda request: self.requested.add(request.url))
        if folder := os.environ.get("TAPEDECK_PAGE_FOLDER"):
            self.context.route("**/ui/*.*", lambda route: self._serve(route, Path(folder)))
        self.open()

    def _serve(self, route, folder: Path) -> None:
        """A file of the page as it is now, so that a change of it can be tried without a build."""
        path = folder / route.request.url.rsplit("/", 1)[1]
        route.fulfill(response=route.fetch(), status=200, content_type=mimetypes.guess_type(path.name)[0], body=path.read_bytes())

    def open(self) -> None:
        self.page.goto("about:blank")
        self.page.goto(self.admin.post("/ui/codes", None)["url"])
        try:
            self.page.wait_for_selector("body[data-connected=true]")
        except TimeoutError:
            raise AssertionError(f"the page found no proxy: {self.text('body')}; {self.errors}") from None

    def close(self) -> None:
        self.context.close()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()

    def click(self, name: str, within: str = "body") -> None:
        self.page.locator(within).get_by_role("button", name=name).first.click()

    def wait_for_text(self, selector: str, text: str) -> None:
        self.page.locator(selector).filter(has_text=text).first.wait_for()

    def open_row(self, text: str) -> None:
        """Opens the latest request whose row holds the text."""
        row = self.page.locator("#space .line:visible").filter(has_text=text)
        row.last.wait_for()
        row.last.click()
        self.page.wait_for_selector("#exchange:not([hidden])")

    def assert_harmless(self) -> None:
        """Nothing of what strangers sent ran, was fetched, or pushed the page out of its window."""
        assert self.page.evaluate("window.__ran") is None
        assert self.page.evaluate("window.__reports") == []
        assert self.page.evaluate("document.scripts.length") == 1
        width, inner = self.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert width <= inner, f"the page is {width} px wide in a window of {inner}"
        origin = self.admin.url.removesuffix("/v1") + "/"
        assert {url for url in self.requested if not url.startswith((origin, "blob:", "data:"))} == set()
        assert self.errors == []

    def take_picture(self, folder: Path, name: str) -> None:
        path = folder / f"{name}.png"
        folder.mkdir(parents=True, exist_ok=True)
        # Without the style that would hide the caret: the page's policy allows none.
        self.page.screenshot(path=path, caret="initial")
        assert path.stat().st_size <= LARGEST_PICTURE, path
