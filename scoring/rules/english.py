"""English words and phrases: case and contractions do not matter; another form or another function word is wrong."""

from __future__ import annotations

import re

Finding = tuple[bool | None, str]

MAX_WORDS = 5
_CONTRACTIONS = (("won't", "will not"), ("can't", "can not"), ("cannot", "can not"), ("n't", " not"), ("'re", " are"),
                 ("'ve", " have"), ("'ll", " will"), ("'m", " am"))  # fmt: skip
_FUNCTION_WORDS = frozenset(
    "a an the who whom whose which that what where when why how whether if as than because although though while since "
    "unless until before after once and or but so nor yet for not no in on at by to of from with without about into "
    "onto over under between among through during against across along around above below behind beside besides near "
    "off out up down upon within toward towards despite like am is are was were be been being do does did done doing "
    "have has had having will would shall should can could may might must need ought used i me my mine myself you your "
    "yours yourself he him his himself she her hers herself it its itself we us our ours ourselves they them their "
    "theirs themselves this these those one ones another other others some any each every either neither both all many "
    "much few little several more most less least fewer such same there here then too also very only even still just "
    "ever never however therefore otherwise instead whoever whatever whenever wherever whichever".split()
)
_IRREGULAR = """be am is are was were been being; go goes went gone going; see sees saw seen seeing; do does did done doing;
have has had having; take takes took taken taking; give gives gave given giving; come comes came coming; write writes
wrote written writing; eat eats ate eaten eating; begin begins began begun beginning; run runs ran running; buy buys
bought buying; bring brings brought bringing; think thinks thought thinking; catch catches caught catching; teach
teaches taught teaching; make makes made making; say says said saying; tell tells told telling; find finds found
finding; leave leaves left leaving; feel feels felt feeling; keep keeps kept keeping; sleep sleeps slept sleeping; know
knows knew known knowing; grow grows grew grown growing; throw throws threw thrown throwing; fly flies flew flown flying;
draw draws drew drawn drawing; speak speaks spoke spoken speaking; break breaks broke broken breaking; choose chooses
chose chosen choosing; drive drives drove driven driving; ride rides rode ridden riding; rise rises rose risen rising;
sing sings sang sung singing; swim swims swam swum swimming; drink drinks drank drunk drinking; sit sits sat sitting;
stand stands stood standing; understand understands understood understanding; lose loses lost losing; send sends sent
sending; spend spends spent spending; build builds built building; meet meets met meeting; hear hears heard hearing; hold
holds held holding; pay pays paid paying; lie lies lay lain lying; wear wears wore worn wearing; win wins won winning;
get gets got gotten getting; forget forgets forgot forgotten forgetting; fall falls fell fallen falling; become becomes
became becoming; sell sells sold selling; child children childs childrens; man men mans; woman women womans; foot feet
foots; tooth teeth tooths; mouse mice mouses; good better best well; bad worse worst badly; far farther further farthest
furthest; little less least; many much more most; life lives; knife knives; leaf leaves; wife wives; die dies died dying
death dead; high higher highest height; long longer longest length; strong stronger strength; deep depth; wide width;
choose choice; able ability unable; I me my mine myself; he him his himself; she her hers herself; they them their theirs
themselves; we us our ours ourselves; you your yours yourself; it its itself; one first once; two second twice; three
third; five fifth; eight eighth; nine ninth; twelve twelfth"""
_LEMMAS: dict[str, set[int]] = {}
for _number, _line in enumerate(_IRREGULAR.replace("\n", " ").split(";")):
    for _word in _line.split():
        _LEMMAS.setdefault(_word.lower(), set()).add(_number)
_VARIANTS = ((r"our(?=\b|s\b|ed\b|ing\b|ful\b|ite\b|able\b)", "or"), (r"is(?=e\b|es\b|ed\b|ing\b|ation)", "iz"),
             (r"ys(?=e\b|ed\b|es\b|ing\b)", "yz"), (r"(?<=t)re\b", "er"), (r"ll(?=ed\b|ing\b|er\b)", "l"),
             (r"ogue\b", "og"), (r"grey", "gray"), (r"(?<=c)entre", "enter"), (r"ence\b", "ense"),
             (r"mme\b", "m"))  # fmt: skip


def words(text: str) -> list[str]:
    """Lower-case words with contractions written out and hyphens as blanks."""
    text = text.lower().replace("’", "'").replace("-", " ")
    for short, long in _CONTRACTIONS:
        text = text.replace(short, long)
    return re.findall(r"[a-z0-9']+|[^\sa-z0-9'.,!?;:\"]", text)


def compare_phrases(left: str, right: str) -> Finding:
    """Whether two phrases are the same; None where they may mean the same in other words."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z\s'’.,!?;:\"-]*", left) or not re.fullmatch(
        r"[A-Za-z][A-Za-z\s'’.,!?;:\"-]*", right
    ):
        return None, "not words alone"
    if not (_is_words(left) and _is_words(right)):
        return (False, "other letters") if left.isupper() and right.isupper() else (None, "letters and words")
    ours, theirs = words(left), words(right)
    if ours == theirs:
        return True, "the same words"
    if max(len(ours), len(theirs)) > MAX_WORDS:
        return None, "sentences that only a judge can compare"
    if [_spelling(w) for w in ours] == [_spelling(w) for w in theirs]:
        return None, "spelling variants"
    return _forms(ours, theirs)


def _is_words(text: str) -> bool:
    """Ordinary capitalisation: CO, Aa and pH are not words."""
    tokens = re.findall(r"[A-Za-z']+", text)
    return bool(tokens) and all(t == "I" or t.islower() or (t[0].isupper() and t[1:].islower() and len(t) > 1) or
                                t in ("A", "TV") for t in tokens)  # fmt: skip


def _spelling(word: str) -> str:
    for pattern, replacement in _VARIANTS:
        word = re.sub(pattern, replacement, word)
    return word


def _forms(ours: list[str], theirs: list[str]) -> Finding:
    """Wrong where only function words or the forms of one word differ."""
    if len(ours) == len(theirs):
        pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
        if all(_form_of_one_word(a, b) or {a, b} <= _FUNCTION_WORDS for a, b in pairs):
            return False, "another form or function word"
        if any({a, b} & _FUNCTION_WORDS for a, b in pairs) and len(ours) == 1:
            return False, "a function word against another word"
        return None, "other words, which may mean the same"
    content = [[w for w in side if w not in _FUNCTION_WORDS] for side in (ours, theirs)]
    if len(content[0]) == len(content[1]) and all(
        a == b or _form_of_one_word(a, b) for a, b in zip(*content, strict=True)
    ):
        return False, "another form of the phrase"
    return None, "other words, which may mean the same"


def _form_of_one_word(a: str, b: str) -> bool:
    """Inflections, derivations and misspellings: a long common beginning, few edits in a long word, or irregular."""
    if _LEMMAS.get(a, set()) & _LEMMAS.get(b, set()):
        return True
    common = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        common += 1
    shorter = min(len(a), len(b))
    if common >= 3 and common >= shorter - 2 and common * 2 >= max(len(a), len(b)):
        return True
    return shorter >= 4 and _edits(a, b) <= (1 if shorter < 6 else 2)


def _edits(a: str, b: str) -> int:
    if abs(len(a) - len(b)) > 2 or max(len(a), len(b)) > 40:
        return 99
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]
