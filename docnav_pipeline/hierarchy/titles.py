"""How titles are compared, and names that sections carry in most documents."""

from __future__ import annotations

import re
import unicodedata

from docnav_pipeline.hierarchy.numbering import split_label


def _names(text: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in text.split(","))


CONTENTS_NAMES = _names(
    """contents, table of contents, tableofcontents, summary of contents, brief contents, detailed contents, contents page,
    inhalt, inhaltsverzeichnis, table des matières, sommaire, índice, indice, contenido, tabla de contenido, sumário, sommario,
    indice generale, inhoud, inhoudsopgave, innehåll, indhold, spis treści, obsah, содержание, оглавление,
    目录, 目錄, 目次, 目 录, 目 次, 차례, 목차, المحتويات"""
)
KNOWN_NAMES = _names(
    """abstract, summary, executive summary, introduction, background, related work, preface, foreword, acknowledgements,
    acknowledgments, acknowledgement, acknowledgment, conclusion, conclusions, discussion, results, methods,
    materials and methods, limitations, references, bibliography, works cited, appendix, appendices, index, glossary,
    signatures, ethics statement, copyright, copyright notice, status of this memo,
    revision history, about this manual, about this document, abbreviations,
    résumé, bibliographie, remerciements, annexes, préface, avant-propos, zusammenfassung, einleitung, literaturverzeichnis,
    vorwort, anhang, danksagung, resumen, introducción, conclusión, referencias, bibliografía,
    摘要, 引言, 前言, 概述, 结论, 結論, 参考文献, 參考文獻, 附录, 附錄, 致谢, 致謝, 索引, 术语表"""
)
# Boxes set apart inside a section; their names head no section.
ADMONITIONS = _names(
    """note, notes, tip, tips, hint, warning, warnings, caution, danger, important, attention, notice, example, remark, info,
    information, see also, remarque, note bene, astuce, avertissement, conseil, exemple, hinweis, achtung, warnung, vorsicht,
    wichtig, tipp, beispiel, nota, consejo, advertencia, precaución, importante, aviso, atención, ejemplo, avvertenza,
    attenzione, suggerimento, esempio, 注意, 提示, 警告, 小心, 重要, 备注, 說明, 注, 例, ヒント"""
)


# One or two digits right behind a word, or a sign.
_MARK = re.compile(r"(?:(?<=[^\W\d_]{2})\d{1,2}|\s?[*†‡¹²³⁴⁵⁶⁷⁸⁹])$")


def key_of(text: str) -> str:
    """Letters and digits only, case folded, compatibility forms unified: how titles are compared."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .:")


def is_contents_name(text: str) -> bool:
    """Whether the text is what tables of contents are headed with."""
    return _plain(text) in CONTENTS_NAMES


def is_known_name(text: str) -> bool:
    """Whether the text, its label aside, is a name that sections carry in most documents."""
    return _plain(split_label(text)[1]) in KNOWN_NAMES


def is_admonition(text: str) -> bool:
    """Whether the text is the name of a box such as "Note" or "Warning"."""
    return _plain(text).strip("!") in ADMONITIONS


def bare_of_mark(text: str) -> str:
    """A title without the mark of a footnote at its end ("New features5"), as far as the text alone can tell."""
    return _MARK.sub("", text)


def without_mark(text: str, listed: str) -> str:
    """A printed title without the mark of a footnote, where the title as listed elsewhere has none."""
    bare = bare_of_mark(text)
    mark = text[len(bare) :].strip()
    is_listed_bare = not listed.rstrip().endswith(mark) and key_of(listed).endswith(key_of(split_label(bare)[1]))
    return bare if bare != text and is_listed_bare else text
