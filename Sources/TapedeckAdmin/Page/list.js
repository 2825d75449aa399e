// The live list. Only the rows in sight are in the document: 50,000 rows cost what forty do.

import { byId, element, fill } from "./dom.js";
import { bytes, count, counted, duration, oneLine, timeOfDay } from "./text.js";

const SPARE = 8;
const COLUMNS = ["time", "method", "host", "path", "status", "from", "why", "size", "took", "session"];

export class List {
  /** @param open shows a row's exchange. */
  constructor(rows, open) {
    this.rows = rows;
    this.open = open;
    this.follows = true;
    this.selected = null;
    this.grid = byId("rows");
    this.space = byId("space");
    this.lines = [];
    this.grid.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.grid);
    this.grid.addEventListener("click", (event) => {
      const line = event.target.closest("[data-place]");
      if (line) this.select(Number(line.dataset.place), true);
    });
  }

  /** Draws at most once a frame, however many events came. */
  changed() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => { this.waits = false; this.draw(); });
  }

  get height() { return parseFloat(getComputedStyle(this.grid).getPropertyValue("--row")) || 24; }

  draw() {
    const shown = this.rows.shown;
    const height = this.height;
    this.space.style.height = `${shown.length * height}px`;
    if (this.follows) {
      this.moves = true;
      this.grid.scrollTop = (shown.length + 1) * height;
    }
    const first = Math.max(0, Math.floor(this.grid.scrollTop / height) - SPARE);
    const inSight = Math.ceil(this.grid.clientHeight / height) + 2 * SPARE;
    const last = Math.min(shown.length, first + inSight);
    while (this.lines.length < last - first) this.lines.push(this.space.appendChild(newLine()));
    let longest = 1;
    for (let place = first; place < last; place++) longest = Math.max(longest,
      shown[place].milliseconds ?? 0);
    this.lines.forEach((line, index) => {
      const place = first + index;
      line.hidden = place >= last;
      if (line.hidden) return;
      line.style.transform = `translateY(${place * height}px)`;
      this.#show(line, shown[place], place, longest);
    });
    this.grid.setAttribute("aria-rowcount", shown.length);
    const isSelectedDrawn = this.lines.some((line) =>
      !line.hidden && line.getAttribute("aria-selected") === "true");
    if (isSelectedDrawn) this.grid.setAttribute("aria-activedescendant", "selected-row");
    else this.grid.removeAttribute("aria-activedescendant");
    byId("empty").hidden = shown.length > 0;
    byId("empty-text").textContent = this.rows.all.length
      ? "No request fits the filter." : "No request yet. Send one to the proxy, and it appears here.";
    const { all, dropped, missing, gaps } = this.rows;
    const requests = counted(all.length - gaps, "request");
    byId("count").textContent = [
      shown.length === all.length ? requests : `${count(shown.length - gaps)} of ${requests}`,
      dropped && `${count(dropped)} older ones left out`, missing && `${count(missing)} missing`,
    ].filter(Boolean).join(", ");
  }

  #show(line, row, place, longest) {
    const isSelected = row === this.selected;
    line.dataset.place = place;
    line.setAttribute("aria-rowindex", place + 1);
    line.setAttribute("aria-selected", isSelected);
    if (isSelected) line.id = "selected-row"; else line.removeAttribute("id");
    if (line.row === row && line.longest === longest) return;
    line.row = row;
    line.longest = longest;
    const cells = line.cells;
    if (row.gap) {
      line.className = "line gap";
      for (const cell of Object.values(cells)) cell.textContent = "";
      const gap = counted(row.gap, "request");
      cells.path.textContent = `${gap} not shown here: they came faster than this page could read`;
      return;
    }
    line.className = `line ${row.from}${row.status >= 400 || row.cutShort || row.failure ? " bad" : ""}`;
    cells.time.textContent = timeOfDay(row.started);
    cells.method.textContent = oneLine(row.method, 30);
    cells.host.textContent = oneLine(row.host, 300);
    cells.path.textContent = oneLine(row.target);
    cells.path.title = oneLine(row.target, 500);
    cells.status.textContent = row.status || "none";
    cells.status.dataset.class = Math.floor(row.status / 100);
    cells.from.textContent = oneLine(row.from, 30);
    cells.why.textContent = oneLine(row.why ?? "", 300);
    cells.why.title = oneLine(row.why ?? "", 500);
    cells.size.textContent = bytes(row.bytes);
    cells.session.textContent = oneLine(row.session, 100);
    cells.tookText.textContent = duration(row.milliseconds);
    // By the logarithm: 0.1 ms and 30 s are both to be seen.
    const part = Math.log1p(row.milliseconds * 10) / Math.log1p(longest * 10);
    cells.bar.style.width = `${Math.max(2, Math.min(100, part * 100))}%`;
  }

  #scrolled() {
    const atEnd = this.grid.scrollTop + this.grid.clientHeight >= this.grid.scrollHeight - this.height;
    if (this.moves) this.moves = false;
    else if (!atEnd) this.follow(false);
    this.changed();
  }

  follow(does) {
    this.follows = does;
    byId("follow").setAttribute("aria-pressed", does);
    if (does) this.changed();
  }

  /** Selects a row, and brings it in sight. */
  select(place, opens) {
    const { shown } = this.rows;
    if (!shown.length) return;
    if (document.activeElement === document.body) this.grid.focus({ preventScroll: true });
    const bounded = Math.max(0, Math.min(shown.length - 1, place));
    this.selected = shown[bounded];
    this.follow(false);
    const top = bounded * this.height;
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top + 2 * this.height > this.grid.scrollTop + this.grid.clientHeight) {
      // The head of the table stands above, as high as a row.
      this.grid.scrollTop = top + 2 * this.height - this.grid.clientHeight;
    }
    this.draw();
    if (opens && !this.selected.gap) this.open(this.selected);
  }

  get place() { return this.rows.shown.indexOf(this.selected); }

  /** @param by how many rows; from none selected, the last one. */
  move(by, opens) {
    const { place } = this;
    this.select(place < 0 && Number.isFinite(by) ? this.rows.shown.length - 1 : place + by, opens);
  }

  get page() { return Math.max(1, Math.floor(this.grid.clientHeight / this.height) - 1); }
}

function newLine() {
  const cells = {};
  const line = element("div", { class: "line", role: "row" }, COLUMNS.map((name) => {
    cells[name] = element("span", { class: name, role: "gridcell" });
    return cells[name];
  }));
  cells.bar = element("span", { class: "bar", "aria-hidden": "true" });
  cells.tookText = element("span", {});
  fill(cells.took, cells.bar, cells.tookText);
  // What the row is written into; "took" itself holds the bar.
  delete cells.took;
  line.cells = cells;
  return line;
}
