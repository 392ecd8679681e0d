"""Finds the places of a C++ source that can be changed, and writes the changes into it.

It reads tokens, not C++: sources are formatted by clang-format, so that an operator between blanks is binary and `<`
after a blank is no template. What it takes for a place and is none does not compile, and is then left out.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|(?<![^\n])[ ]*\#(?:[^\n\\]|\\\n|\\.)*|\[\[[a-z_,() ]*\]\])
  | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
  | (?P<number>(?:0[xX][0-9a-fA-F']+|(?:\d[\d']*\.?[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?)[\w]*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<mark_>->\*|<=>|<<=|>>=|\.\.\.|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|[{}()\[\];:,.?<>=!~+\-*/%&|^])
""", re.X | re.S)

INFIX = {"<": ("Less", "<="), "<=": ("LessEqual", "<"), ">": ("Greater", ">="), ">=": ("GreaterEqual", ">"),
         "==": ("Equal", "!="), "!=": ("NotEqual", "=="), "+": ("Plus", "-"), "-": ("Minus", "+"), "*": ("Times", "/"),
         "/": ("Over", "*"), "+=": ("PlusAssign", "-="), "-=": ("MinusAssign", "+="), "*=": ("TimesAssign", "/="),
         "/=": ("OverAssign", "*=")}
LOGICAL = {"&&": ("both", "||"), "||": ("either", "&&")}
CHOICES = {"max": "min", "min": "max", "max_element": "min_element", "min_element": "max_element",
           "lower_bound": "upper_bound", "upper_bound": "lower_bound"}
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="}
BOUNDARIES = {",", ";", "?", ":", "return", "throw", "co_return"} | ASSIGNMENTS
# Nothing that these do can be noticed, or they are not computed at run time.
UNCHANGED_STATEMENTS = {"static_assert", "using", "enum", "concept", "requires", "friend", "operator"}
UNCHANGED_CALLS = {"reserve", "shrink_to_fit", "alignas", "noexcept"}


@dataclass(frozen=True)
class Token:
    text: str
    start: int
    kind: str

    @property
    def end(self):
        return self.start + len(self.text)


@dataclass(frozen=True)
class Place:
    """A change of one place: its edits are (offset, length, new text, order among edits at one offset)."""
    path: str
    line: int
    offset: int
    change: str
    edits: tuple


def tokens_of(text):
    tokens = []
    for found in TOKEN.finditer(text):
        kind = found.lastgroup if found.lastgroup != "mark" else "string"
        if kind != "skip":
            tokens.append(Token(found.group(), found.start(), kind))
    return tokens


class Source:
    """The tokens of a source with what encloses them."""

    def __init__(self, path, text):
        self.path, self.text, self.tokens = path, text, tokens_of(text)
        self.partner, self.in_template = {}, [False] * len(self.tokens)
        self.statement = [0] * len(self.tokens)  # First token of the statement of each token.
        self.call = [""] * len(self.tokens)  # The name before the parenthesis that encloses each token.
        self.in_class = [False] * len(self.tokens)
        self.match_brackets()
        self.match_templates()

    def at(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def is_spaced(self, i):
        token = self.tokens[i]
        return self.text[token.start - 1].isspace() and self.text[token.end:token.end + 1].isspace()

    def match_brackets(self):
        stack, first, classes = [], 0, []
        for i, token in enumerate(self.tokens):
            self.statement[i] = first
            self.call[i] = next((self.at(k - 1) for k in reversed(stack) if self.at(k) == "("), "")
            self.in_class[i] = bool(classes) and classes[-1]
            if token.text in OPENING:
                stack.append(i)
            elif token.text in CLOSING and stack:
                start = stack.pop()
                self.partner[start], self.partner[i] = i, start
            if token.text == "{":
                opening = [t.text for t in self.tokens[first:i]]
                classes.append(bool({"class", "struct", "union"} & set(opening)) and not {"(", "="} & set(opening))
            elif token.text == "}" and classes:
                classes.pop()
            if token.text in (";", "{", "}"):
                first = i + 1

    def match_templates(self):
        depth = []
        for i, token in enumerate(self.tokens):
            if token.text in OPENING or token.text in CLOSING or token.text == ";":
                depth = depth if depth and token.text in "([{" and i in self.partner else depth
            opens = token.text == "<" and (not self.is_spaced(i)) and (
                not self.text[token.start - 1].isspace() or self.at(i - 1) == "template")
            if opens:
                depth.append(i)
            elif token.text == ">" and depth and not self.text[token.start - 1].isspace():
                depth.pop()
            elif token.text in (";", "{"):
                depth = []
            self.in_template[i] = bool(depth)

    def is_unchanged(self, i):
        if self.in_template[i] or self.call[i] in UNCHANGED_CALLS or self.at(i - 1) == "case":
            return True
        return any(t.text in UNCHANGED_STATEMENTS for t in self.tokens[self.statement[i]:i + 1])

    def constant_edits(self, i):
        """Makes the constant in whose declaration a token stands one that is computed when the program starts."""
        first = self.statement[i]
        while first > 0 and self.at(first - 1) == "{" and self.at(first - 2) not in (")", "const", ";", "}"):
            first = self.statement[first - 1]  # A braced initial value.
        words = self.tokens[first:i]
        for k, token in enumerate(words):
            if token.text == "(":
                return ()
            if token.text == "constexpr" and words[k - 1].text != "if":
                return ((token.start, len(token.text), "inline const" if self.in_class[i] else "const", 1),)
        return ()

    def is_constant(self, i):
        """Whether a token stands in the declaration of a constant, which the compiler may compute beforehand."""
        return bool({"const", "constexpr", "static"} & {t.text for t in self.tokens[self.statement[i]:i]})


def operand_start(source, i, stops):
    """Offset of the first token of the left operand of a logical operator."""
    k = i - 1
    while k >= 0:
        text = source.at(k)
        if text in CLOSING:
            k = source.partner.get(k, -1)
        elif text in OPENING or text in BOUNDARIES or text in stops:
            break
        k -= 1
    return k + 1


def operand_end(source, i, stops):
    """The token after the right operand of a logical operator."""
    k = i + 1
    while k < len(source.tokens):
        text = source.at(k)
        if text in OPENING:
            k = source.partner.get(k, len(source.tokens))
        elif text in CLOSING or text in BOUNDARIES or text in stops:
            break
        k += 1
    return k


def infix_edits(source, i):
    token = source.tokens[i]
    if not source.is_spaced(i) or source.tokens[i - 1].kind == "string" or source.tokens[i + 1].kind == "string":
        return None
    if source.at(i - 1) in ("=", "(", ",", "return", "operator"):
        return None
    name = INFIX[token.text][0]
    return ((token.start, len(token.text), f"{token.text} ::mutants::infix<@, ::mutants::{name}> {token.text}", 1),)


def logical_edits(source, i):
    token = source.tokens[i]
    if not source.is_spaced(i):
        return None
    first = source.tokens[operand_start(source, i, () if token.text == "||" else ("||",))]
    after = source.tokens[operand_end(source, i, ("||",) if token.text == "||" else ("&&", "||"))]
    last = max(t.end for t in source.tokens if t.end <= after.start)
    width = last - first.start
    name = LOGICAL[token.text][0]
    return ((first.start, 0, f"::mutants::{name}<@>([&] {{ return static_cast<bool>(", (3, -width)),
            (token.start, len(token.text), "); }, [&] { return static_cast<bool>(", 1),
            (last, 0, "); })", (-1, width)))


def condition_edits(source, i):
    """Of `if (...)` and `while (...)` without a declaration."""
    if source.at(i + 1) != "(":
        return None
    end = source.partner[i + 1]
    inner, k = [], i + 2
    while k < end:
        inner.append(source.at(k))
        k = source.partner[k] if source.at(k) in OPENING else k
        k += 1
    if inner.count(";"):
        inner = inner[len(inner) - inner[::-1].index(";"):]
    if ASSIGNMENTS & set(inner) or "?" in inner:
        return None
    return ((source.tokens[end].start, 0, " || ::mutants::flip<@>", (0, 0)),)


def prefix_edits(source, i, name):
    token = source.tokens[i]
    after = source.text[token.end:token.end + 1]
    if after.isspace() or source.at(i - 1) == "operator" or source.tokens[i + 1].kind == "number":
        return None
    if token.text == "++" and source.at(i - 1) not in (";", "{", "}", ")"):
        return None
    if token.text == "++" and source.call[i] == "for":
        return None
    if token.text == "-" and (source.tokens[i - 1].kind in ("number", "name") and source.at(i - 1) != "return"
                              or source.at(i - 1) in CLOSING):
        return None
    return ((token.start, len(token.text), f"::mutants::prefix<@, ::mutants::{name}>->*", 1),)


def choice_edits(source, i):
    start = i
    while source.at(start - 1) == "::":
        start -= 2
    if start == i or source.at(start) != "std":
        return None
    end = i + 1
    if source.at(end) == "<":
        while source.at(end) != ">":
            end += 1
        end += 1
    if source.at(end) != "(":
        return None
    begin, stop = source.tokens[start].start, source.tokens[end].start
    plain = source.text[begin:stop]
    changed = plain.replace("::" + source.at(i), "::" + CHOICES[source.at(i)], 1)
    return ((begin, stop - begin, f"::mutants::choice<@>(MUTANTS_CALL({plain}), MUTANTS_CALL({changed}))", 1),)


def changed_number(text):
    """0.5 becomes 1.5, 3 becomes 4; a large number, of which one more is nothing, becomes twice itself."""
    if re.fullmatch(r"(0[xX][0-9a-fA-F']+|[\d']+)[uUlLzZ]*", text):
        return f"{text} + 1"
    value = re.fullmatch(r"([\d'.]+(?:[eE][+-]?\d+)?)[fFlL]?", text)
    if value is None:
        return None
    return f"{text} + 1" if float(value[1].replace("'", "")) <= 1000 else f"{text} * 2"


def change_at(source, i):
    """What to do to a token, and its edits. None if nothing."""
    token = source.tokens[i]
    text = token.text
    if token.kind == "number" or text in ("true", "false"):
        changed = {"true": "false", "false": "true"}.get(text) or changed_number(text)
        if changed is None or source.at(i - 1) == "]" or source.at(i - 1) == "operator":
            return None
        return f"{text} -> {changed}", ((token.start, len(text), f"::mutants::value<@>({text}, {changed})", 1),)
    if text in ("if", "while") and source.at(i + 1) == "(":
        edits = condition_edits(source, i)
        return edits and ("condition -> its opposite", edits)
    if text == "?":
        return "condition of ? -> its opposite", ((token.start, 0, "|| ::mutants::flip<@> ", (0, 0)),)
    if text in CHOICES and token.kind == "name":
        edits = choice_edits(source, i)
        return edits and (f"{text} -> {CHOICES[text]}", edits)
    if text in LOGICAL:
        edits = logical_edits(source, i)
        return edits and (f"{text} -> {LOGICAL[text][1]}", edits)
    if text in INFIX and (edits := infix_edits(source, i)):
        return f"{text} -> {INFIX[text][1]}", edits
    prefix = {"-": ("Negative", "-x -> +x"), "!": ("Not", "!x -> x"), "++": ("Next", "++x -> x")}.get(text)
    if prefix:
        edits = prefix_edits(source, i, prefix[0])
        return edits and (prefix[1], edits)
    return None


def places_of(path, text):
    """All places of a source, in order."""
    source, places = Source(path, text), []
    for i, token in enumerate(source.tokens):
        if source.is_unchanged(i):
            continue
        change = change_at(source, i)
        if not change:
            continue
        edits = change[1] + source.constant_edits(i)
        if source.constant_edits(i) or source.is_constant(i):
            edits = tuple((at, length, new.replace("<@", "<-@"), order) for at, length, new, order in edits)
        places.append(Place(path, text.count("\n", 0, token.start) + 1, token.start, change[0], edits))
    return places


def with_mutants(text, numbered):
    """A source with the changes of (number, place) in it, each switched on by its number."""
    edits = {}
    for number, place in numbered:
        for offset, length, new, order in place.edits:
            order = order if isinstance(order, tuple) else (order, 0)
            edits[(offset, order, length, new.replace("@", str(number)))] = None
    # Of two edits of one place the one that inserts comes first; an operand that ends closes before the next one opens.
    ordered = sorted(edits, key=lambda edit: (edit[0], 5 if edit[2] else edit[1][0], edit[1][1]))
    out, done = [], 0
    for offset, _, length, new in ordered:
        out += [text[done:offset], new]
        done = offset + length
    return '#include "scalelaw/mutants.hpp"\n#line 1\n' + "".join(out) + text[done:]
