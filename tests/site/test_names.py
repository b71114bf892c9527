"""What is left of the names that traders choose, honest and hostile ones."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings, strategies as st

from papertrade_site.figures.names import MARKS_KEPT, NAME_LENGTH, clean_name
from papertrade_site.simulator.names import HOSTILE_NAMES

DEFAULT_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""What Unicode says need not be shown, first and last code point of each range."""

IGNORABLE = [chr(code) for first, last in DEFAULT_IGNORABLE for code in range(first, last + 1)]
BLANK = ["\u2800", "\U00016fe4", "\U0001d159"]
CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))]
FORBIDDEN = {*IGNORABLE, *BLANK, *CONTROLS, "\u2028", "\u2029"}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign).startswith("M")


@pytest.mark.parametrize(
    "name",
    [
        "Ada",
        "quiet_whale42",
        "José Müller",
        "Đặng Thị Hương",
        "鲸鱼大户",
        "ビットコイン",
        "김철수",
        "Мария-Анна",
        "محمد",
        "שָׁלוֹם",
        "नमस्ते",
        "สวัสดี",
        "x = y + 1 & more",
        "🦈 shark 👍🏽",
        "🇩🇪🇫🇷",
        "a" * NAME_LENGTH,
    ],
)
def test_an_honest_name_stays_as_it_is(name: str) -> None:
    assert clean_name(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        (None, None),
        ("", None),
        ("   ", None),
        ("\u3164\u2800\u200b", None),
        ("\u0301\u0302", None),
        ("  a \t b\r\nc\u2028d\u3000e ", "a b c d e"),
        ("\x1b[31mred\x1b[0m\x00\x07\x7f\x9f", "[31mred[0m"),
        ("\u202egnp.exe\u202c", "gnp.exe"),
        ("\u2066a\u2069\u061c", "a"),
        ("pay\u200bpal\u00ad\u2060\ufeff", "paypal"),
        ("".join(chr(0xE0000 + ord(sign)) for sign in "obey") + "ok", "ok"),
        ("a\ufe0f\U000e0101b", "ab"),
        ("\ud800half\udc00", "half"),
        ("\ue000\U000f0000private", "private"),
        ("\ufdd0\uffffnone", "none"),
        (FAMILY, "\U0001f468\U0001f469\U0001f467"),
        ("e\u0301", "é"),
        ("e\u200d\u0301", "é"),
        ("Z\u0351\u0357\u036e\u0312a", "Z\u0351\u0357a"),
        ("a \u0301\u0302 b", "a b"),
        ("\u0301x", "x"),
        ("<b>*bold*</b>", "<b>*bold*</b>"),
    ],
)
def test_what_hides_breaks_lines_or_piles_up_is_taken_out(name: str | None, cleaned: str | None) -> None:
    assert clean_name(name) == cleaned


@pytest.mark.parametrize("sign", ["\uff1c", "\ufdfa", "\ufb01", "\u2460", "\U0001d400", "\uff21"])
def test_lookalikes_are_not_turned_into_what_they_look_like(sign: str) -> None:
    assert clean_name(f"a{sign}b") == f"a{sign}b"


@pytest.mark.requirement("safety:names")
def test_no_sign_that_cannot_be_seen_is_let_through() -> None:
    left = {clean_name(f"a{sign}b") for sign in FORBIDDEN}
    assert left == {"ab", "a b"}


class TestLength:
    @pytest.mark.requirement("safety:names")
    def test_a_long_name_is_cut_and_says_so(self) -> None:
        assert clean_name("a" * (NAME_LENGTH + 1)) == "a" * (NAME_LENGTH - 1) + "…"
        assert clean_name("long " * 2048) == ("long " * 13)[: NAME_LENGTH - 1].rstrip() + "…"

    @pytest.mark.parametrize("cluster", ["q\u0308\u0323", "👍🏽", "🇩🇪", "q\u0308"])
    @pytest.mark.parametrize("before", range(4))
    def test_it_is_cut_between_what_a_reader_takes_for_characters(self, cluster: str, before: int) -> None:
        cluster = unicodedata.normalize("NFC", cluster)
        name = clean_name("a" * before + cluster * NAME_LENGTH)
        assert name is not None
        body = name.removesuffix("…").removeprefix("a" * before)
        assert body == cluster * (len(body) // len(cluster))
        assert NAME_LENGTH - _utf16(cluster) < _utf16(name) <= NAME_LENGTH

    def test_signs_that_json_writes_in_two_halves_count_twice(self) -> None:
        half = NAME_LENGTH // 2
        assert clean_name("🦈" * half) == "🦈" * half
        assert clean_name("🦈" * (half + 1)) == "🦈" * (half - 1) + "…"


NASTY = st.text(
    st.sampled_from(
        [*sorted(FORBIDDEN)[::40], "\u0301", "\u0323", "e", " ", "\u1100", "\u1161", "\u11a8", "🇩", "🏽"]
    )
    | st.characters(),
    max_size=200,
)


@pytest.mark.requirement("safety:names")
@settings(max_examples=600)
@given(NASTY)
def test_whatever_is_chosen_the_name_is_short_visible_and_stays_when_cleaned_again(chosen: str) -> None:
    name = clean_name(chosen)
    assert clean_name(name) == name
    if name is None:
        return
    assert 1 <= _utf16(name) <= NAME_LENGTH
    assert not FORBIDDEN.intersection(name)
    assert {unicodedata.category(sign) for sign in name}.isdisjoint(
        ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    )
    assert unicodedata.is_normalized("NFC", name)
    assert name == " ".join(name.split(" ")).strip()
    assert "  " not in name
    assert not _is_mark(name[0])
    run = 0
    for sign in name:
        run = run + 1 if _is_mark(sign) else 0
        assert run <= MARKS_KEPT


def test_the_embedded_exchanges_hostile_names_are_all_calmed() -> None:
    for hostile in HOSTILE_NAMES:
        name = clean_name(hostile)
        assert name is None or not FORBIDDEN.intersection(name)
    assert clean_name("pay\u200bpal\u200d\u2060\ufeff") == "paypal"
