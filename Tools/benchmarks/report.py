"""The table."""

import statistics

from rows import ROWS


def medians(samples):
    """Every figure's median over the rounds, by row and name."""
    return {
        row: {name: statistics.median(sample[name] for sample in taken) for name in taken[0]}
        for row, taken in samples.items()}


def figure(row, figures):
    return ", ".join(text.format(figures[name]) for name, text in ROWS[row].shows.items())


def ratio(row, base, results):
    name = next(iter(ROWS[row].shows))
    return results[row][name] / results[base][name]


def judgement(row, results):
    """What the row comes to beside others, and beside its goal."""
    parts = []
    for base, goal in ROWS[row].against.items():
        if base not in results:
            continue
        value = ratio(row, base, results)
        wanted = f" (≥ {goal:g})" if goal else ""
        parts.append(f"{value:.2f} × {base}{wanted}")
    if ROWS[row].at_most is not None:
        parts.append(f"≤ {ROWS[row].at_most:g}")
    return ", ".join(parts)


def missed(results):
    """The rows that miss a goal."""
    for row, figures in results.items():
        for base, goal in ROWS[row].against.items():
            if goal and base in results and ratio(row, base, results) < goal:
                yield row, f"{ratio(row, base, results):.2f} of {goal:g} × {base}"
        limit = ROWS[row].at_most
        value = figures[next(iter(ROWS[row].shows))]
        if limit is not None and value > limit:
            yield row, f"{value:.2f} instead of {limit:g} at most"


def table(results):
    lines = ["| what | figure | beside others | command |", "|---|---:|---|---|"]
    for row, figures in results.items():
        lines.append(
            f"| {ROWS[row].title} | {figure(row, figures)} | {judgement(row, results)} | `Tools/bench {row}` |")
    return "\n".join(lines)
