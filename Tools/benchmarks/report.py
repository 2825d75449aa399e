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


def judged(row, base):
    """The figure that goals are for: where there is an origin, its CPU counts on both sides alike."""
    both = "with_origin" in ROWS[row].shows and "with_origin" in ROWS[base].shows
    return "with_origin" if both else next(iter(ROWS[row].shows))


def ratio(row, base, samples, name):
    """The median of what each round says for itself: the machine is another one from minute to minute."""
    rounds = zip(samples[row], samples[base])
    return statistics.median(mine[name] / theirs[name] for mine, theirs in rounds)


def judgement(row, samples):
    """What the row comes to beside others, and beside its goal."""
    parts = []
    for base, goal in ROWS[row].against.items():
        if base not in samples:
            continue
        wanted = f" (≥ {goal:g})" if goal else ""
        name = judged(row, base)
        parts.append(f"{ratio(row, base, samples, name):.2f} × {base}{wanted}")
        if name == "with_origin":
            parts.append(f"{ratio(row, base, samples, 'capacity'):.2f} × without the origin's CPU")
    for name, limit in ROWS[row].at_most.items():
        parts.append(f"{name} ≤ {limit:g}")
    return ", ".join(parts)


def missed(samples):
    """The rows that miss a goal."""
    for row, figures in medians(samples).items():
        for base, goal in ROWS[row].against.items():
            if goal and base in samples and (reached := ratio(row, base, samples, judged(row, base))) < goal:
                yield row, f"{reached:.2f} of {goal:g} × {base}"
        for name, limit in ROWS[row].at_most.items():
            if figures[name] > limit:
                yield row, f"{name} {figures[name]:.2f} instead of {limit:g} at most"


def table(samples):
    lines = ["| what | figure | beside others | command |", "|---|---:|---|---|"]
    for row, figures in medians(samples).items():
        lines.append(
            f"| {ROWS[row].title} | {figure(row, figures)} | {judgement(row, samples)} | `Tools/bench {row}` |")
    return "\n".join(lines)
