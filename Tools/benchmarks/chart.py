"""The table's throughput as a small picture, readable on a light page and on a dark one."""

from html import escape

BAR, GAP, LABEL, WIDTH = 16, 8, 190, 640
OURS, THEIRS, TEXT = "#2f81f7", "#8b949e", "#768390"

#: Heading → rows, as far as they were measured.
GROUPS = {
    "Recorded answers in a second of the server's processor": [
        ("replay", "tapedeck replay"), ("nginx-return", "nginx, return 200"), ("nginx-static", "nginx, static files"),
        ("mitmproxy-replay", "mitmproxy")],
    "Answers from an origin in a second of the server's processor": [
        ("nginx-proxy", "nginx, proxy_pass"), ("passthrough", "tapedeck passthrough"), ("record", "tapedeck record"),
        ("mitmproxy-reverse", "mitmproxy")],
}


def chart(results):
    out, y = [], 0
    for heading, rows in GROUPS.items():
        rows = [(results[row]["capacity"], label) for row, label in rows if row in results]
        if not rows:
            continue
        y += 22
        out.append(f'<text x="0" y="{y}" font-weight="600">{escape(heading)}</text>')
        y += GAP
        most = max(count for count, _ in rows)
        for count, label in rows:
            y += bar(out, y, count / most, label, count)
    style = f'font-family="system-ui, sans-serif" font-size="13" fill="{TEXT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + GAP}" width="{WIDTH}" {style}>'
    return "\n".join([head, *out, "</svg>", ""])


def bar(out, y, share, label, count):
    length = max(1, round((WIDTH - LABEL - 70) * share))
    colour = OURS if label.startswith("tapedeck") else THEIRS
    middle = y + BAR - 4
    out.append(f'<text x="{LABEL - GAP}" y="{middle}" text-anchor="end">{escape(label)}</text>')
    out.append(f'<rect x="{LABEL}" y="{y}" width="{length}" height="{BAR}" rx="2" fill="{colour}"/>')
    out.append(f'<text x="{LABEL + length + 6}" y="{middle}">{count:,.0f}</text>')
    return BAR + GAP
