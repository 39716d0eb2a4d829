"""colors.py GROUPS_JS: how far apart the colors of the page are, as people see them.

Distances are CIE76, of colors as seen with normal vision and with the three kinds of color
blindness (Machado, Oliveira and Fernandes 2009, severity 1). A difference of 10 is seen at
a glance; the text on all of them needs a contrast of 4.5 (WCAG 2.1).
"""

import itertools
import pathlib
import re
import sys

SIGHT = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}  # fmt: skip
LEAST_DISTANCE = 12
LEAST_CONTRAST = 4.5


def linear(color):
    values = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def luminance(color):
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear(color)))


def seen(color, sight):
    """CIELAB of a color as somebody sees it."""
    rgb = [sum(a * b for a, b in zip(row, linear(color))) for row in SIGHT[sight]]
    r, g, b = (min(1, max(0, value)) for value in rgb)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def main():
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    palette, others, ink = (
        re.findall(r"#[0-9a-f]{6}", re.search(rf"^const {name} = (.*);", text, re.M)[1])
        for name in ("Palette", "OtherColors", "BlockText")
    )
    bad = False
    for theme, other in zip(("light", "dark"), others):
        for sight in SIGHT:
            distance, *pair = min(
                (sum((p - q) ** 2 for p, q in zip(seen(a, sight), seen(b, sight))) ** 0.5, a, b)
                for a, b in itertools.combinations([*palette, other], 2)
            )
            print(f"{theme}, {sight}: {distance:.1f} between {' and '.join(pair)}")
            bad |= distance < LEAST_DISTANCE
    for color in palette + others:
        contrast = (luminance(color) + 0.05) / (luminance(ink[0]) + 0.05)
        print(f"{color}: contrast {contrast:.1f}")
        bad |= contrast < LEAST_CONTRAST
    return bad


sys.exit(main())
