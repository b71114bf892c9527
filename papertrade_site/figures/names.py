"""Names that traders chose: untrusted text, made safe to stand in a field of its own as data.

A cleaned name hides nothing and breaks no line, but it may still say anything: it never stands in a
sentence of ours, and whoever puts it into HTML, Markdown or a spreadsheet escapes it there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

NAME_LENGTH: Final = 64
"""The most characters of a cleaned name; a longer one is cut and ends with an ellipsis.

Those beyond U+FFFF, such as emoji, count twice, as they do in JSON and JavaScript, so that names cannot
blow up an answer.
"""

MARKS_KEPT: Final = 2
"""The most combining marks on one letter."""

_ELLIPSIS: Final = "…"

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Controls; format characters, which are those of direction, zero width and tags; halves of surrogates;
private use; and what this Python's Unicode does not know, as it may be any of these."""

_BLANK: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U00016fe4\U0001d159\U000e0100-\U000e01ef]"
)
"""Letters, marks and symbols by category that show nothing, fillers and variation selectors among them."""

_SKIN_TONES: Final = re.compile("[\U0001f3fb-\U0001f3ff]")
_FLAG_LETTERS: Final = re.compile("[\U0001f1e6-\U0001f1ff]")


def clean_name(text: str | None) -> str | None:
    """A name without what cannot be seen, on one line and of bounded size; None when nothing is left.

    Normal form C is used, never KC: that one would turn look-alikes into markup (a fullwidth less-than
    sign into a plain one) and honest letters into others. So look-alikes stay, and only the address
    tells who it is.
    Joiners go as well, so an emoji that was joined of several falls apart into them.
    """
    seen = "".join(sign for sign in _BLANK.sub("", text or "") if _is_seen(sign))
    words = (_calmed(word) for word in unicodedata.normalize("NFC", seen).split())
    return _cut(" ".join(filter(None, words))) or None


def _is_seen(sign: str) -> bool:
    return sign.isspace() or unicodedata.category(sign) not in _UNSEEN


def _calmed(word: str) -> str:
    """The word without marks that stand on nothing or in a heap."""
    return "".join(cluster[: 1 + MARKS_KEPT] for cluster in _clusters(word) if not _is_mark(cluster[0]))


def _cut(name: str) -> str:
    """The name, cut between what a reader takes for characters when it is too long."""
    if _length(name) <= NAME_LENGTH:
        return name
    kept = ""
    for cluster in _clusters(name):
        if _length(kept + cluster + _ELLIPSIS) > NAME_LENGTH:
            break
        kept += cluster
    return kept.rstrip() + _ELLIPSIS


def _length(text: str) -> int:
    return len(text) + sum(sign > "\uffff" for sign in text)


def _clusters(text: str) -> Iterator[str]:
    """What a reader takes for one character: a sign with its marks and skin tone, or a flag's two letters."""
    cluster = ""
    for sign in text:
        is_flag = _FLAG_LETTERS.fullmatch(cluster) and _FLAG_LETTERS.fullmatch(sign)
        if cluster and not (is_flag or _is_mark(sign)):
            yield cluster
            cluster = ""
        cluster += sign
    if cluster:
        yield cluster


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign).startswith("M") or _SKIN_TONES.fullmatch(sign) is not None
