"""Makes the C reference: a page for each header, from its own comments.

The headers have one style: a comment stands above what it describes, `/* ---- Title ---- */` begins
a section, a list of errors is indented by two columns, code by four. That is all it understands.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Dict, List, Mapping, Sequence, Tuple

from grader.site.comment_text import Names, comment_to_rst

_SECTION = re.compile(r"/\* -{2,} (.+?) -{2,} \*/")
_NOISE = re.compile(
    r'#ifdef __cplusplus\n(?:extern "C" \{|\})\n#endif\n'  # for C++
    r"|#ifdef __cplusplus\n(?:#include .*\n|using .*;\n)+#else\n"
    r"|/\* clang-format o(?:n|ff) \*/\n"
    r"|#(?:ifndef|define) \w+_H\n|#include .*\n|#endif\n"
)
_BODY = re.compile(r"\{[^{}]*\}")
_ONLY_NAMED = re.compile(r"(?:struct|enum) \w+")  # what it is, the reader need not know
_MACRO = re.compile(r"^#define (\w+(?:\([^)]*\))?)", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Declared:
    kind: str  # of Sphinx' C domain: function, struct, enum, enumerator, type, macro
    name: str
    signature: str


@dataclasses.dataclass(frozen=True)
class Item:
    """A comment, and the declarations under it."""

    comment: str
    code: str
    declared: Sequence[Declared]

    @property
    def has_more_to_show(self) -> bool:
        """Than the signatures say."""
        return "{" in self.code or "#define" in self.code


@dataclasses.dataclass(frozen=True)
class Header:
    title: str
    intro: str
    sections: Sequence[Tuple[str, Sequence[Item]]]  # the first one has no title


def read_header(path: Path) -> Header:
    text = _NOISE.sub("", path.read_text(encoding="utf-8"))
    first, _, rest = text.partition("*/\n")
    title, _, intro = _comment_text(first).partition("\n")
    name, _, what = title.partition(" - ")
    what = what[:1].upper() + what[1:]
    sections: List[Tuple[str, List[Item]]] = [("", [])]
    for comment, code in _chunks(rest):
        if section := _SECTION.fullmatch(comment):
            sections.append((section[1], []))
        else:
            comment = _comment_text(comment.replace("*/", ""))
            sections[-1][1].append(Item(comment, code, declared_in(code)))
    return Header(name, f"{what}\n{intro}", _without_forward_declarations(sections))


def _without_forward_declarations(
    sections: Sequence[Tuple[str, Sequence[Item]]],
) -> List[Tuple[str, Sequence[Item]]]:
    """Of what is declared twice, the last counts."""
    last = {d.name: item for _, items in sections for item in items for d in item.declared}

    def trimmed(item: Item) -> Item:
        kept = [d for d in item.declared if last[d.name] is item]
        return dataclasses.replace(item, declared=kept)

    return [(title, [trimmed(item) for item in items]) for title, items in sections if items]


def without_repeats(headers: Mapping[str, Header]) -> Dict[str, Header]:
    """Of what several headers declare, the one that shows what is in it counts, or else the first."""
    best: Dict[str, Tuple[bool, str]] = {}
    for name, header in headers.items():
        for item in _items(header):
            for declared in item.declared:
                here = (item.has_more_to_show, name)
                best[declared.name] = max(best.get(declared.name, here), here, key=lambda one: one[0])

    def trimmed(name: str, item: Item) -> Item:
        kept = [d for d in item.declared if best[d.name][1] == name]
        return dataclasses.replace(item, declared=kept)

    return {
        name: dataclasses.replace(
            header,
            sections=[(t, [trimmed(name, item) for item in items]) for t, items in header.sections],
        )
        for name, header in headers.items()
    }


def _items(header: Header) -> List[Item]:
    return [item for _, items in header.sections for item in items]


def names_of(headers: Mapping[str, Header]) -> Names:
    """What comments may mention, and Sphinx' role for it."""
    roles = {"function": "func", "enumerator": "enumerator"}
    return {
        declared.name: f"c:{roles.get(declared.kind, declared.kind)}"
        for header in headers.values()
        for _, items in header.sections
        for item in items
        for declared in item.declared
    }


def reference_page(header: Header, names: Names) -> str:
    """In reStructuredText."""
    lines = [header.title, "=" * len(header.title), "", comment_to_rst(header.intro, names), ""]
    for title, items in header.sections:
        if title:
            lines += [title, "-" * len(title), ""]
        for item in items:
            lines += [_item(item, names), ""]
    return "\n".join(lines)


def _item(item: Item, names: Names) -> str:
    lines: List[str] = []
    for number, declared in enumerate(item.declared):
        lines.append(f".. c:{declared.kind}:: {declared.signature}")
        if number < len(item.declared) - 1:
            lines.append("")
    content = [comment_to_rst(item.comment, names)]
    if item.has_more_to_show:
        content.append(".. code-block:: c\n\n" + _indented(item.code, 3))
    return "\n".join([*lines, "", _indented("\n\n".join(content), 3 if lines else 0)])


def _indented(text: str, columns: int) -> str:
    return "\n".join(" " * columns + line if line else "" for line in text.splitlines())


def _comment_text(comment: str) -> str:
    lines = comment.strip().splitlines()
    return "\n".join(re.sub(r"^(/\*| \*) ?", "", line).rstrip() for line in lines)


def _chunks(text: str) -> List[Tuple[str, str]]:
    """Pairs of a comment at the beginning of a line, and the code up to the next blank line or such
    a comment; either may be empty."""
    chunks: List[Tuple[str, str]] = []
    comment: List[str] = []
    code: List[str] = []
    depth, in_comment = 0, False

    def close() -> None:
        if comment or code:
            chunks.append(("\n".join(comment), "\n".join(code)))
        comment.clear()
        code.clear()

    for line in text.splitlines():
        if in_comment or (line.startswith("/*") and depth == 0):
            if code or (comment and not in_comment):
                close()
            comment.append(line)
            in_comment = "*/" not in line
        elif line or depth > 0:
            code.append(line)
            depth += line.count("{") - line.count("}")
        elif code or (comment and _SECTION.fullmatch(comment[0])):
            close()
    close()
    return chunks


def declared_in(code: str) -> List[Declared]:
    macros = [Declared("macro", m[1].split("(")[0], m[1]) for m in _MACRO.finditer(code)]
    if macros:
        return macros
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    if constants := re.fullmatch(r"\s*enum \{(.*)\};\s*", code, re.DOTALL):
        names = re.findall(r"(\w+)(?: = [^,]*)?", constants[1])
        return [Declared("enumerator", name, name) for name in names]
    while "{" in code:
        code = _BODY.sub("@", code)  # a body, whatever is in it
    statements = [" ".join(part.split()) for part in re.split(r";|(?<=\))\s*@", code)]
    found: Dict[str, Declared] = {}
    for statement in statements:
        if not statement or _ONLY_NAMED.fullmatch(statement):
            continue
        if (declared := _declared(statement)).name not in found:
            found[declared.name] = declared
    return list(found.values())


def _declared(statement: str) -> Declared:
    statement = re.sub(r"^static inline |\b_Noreturn ", "", statement)
    if match := re.fullmatch(r"(?:typedef )?(struct|enum) (\w+)(?: ?@(?: \w+)?| \w+)", statement):
        return Declared(match[1], match[2], match[2])
    is_type = statement.startswith("typedef ")
    statement = statement.replace("typedef ", "", 1) if is_type else statement
    if match := re.match(r"[^(]*?(\w+)\(", statement):
        return Declared("type" if is_type else "function", match[1], statement)
    if is_type and (match := re.search(r"(\w+)$", statement)):
        return Declared("type", match[1], statement)
    raise ValueError(f"not understood: {statement}")
