"""A query as tokens, when it is too short to say which language of the corpus it is in."""

from __future__ import annotations

from collections.abc import Sequence

from assets_store.models.analyzer import SHORT_LISTS, analyze, is_stop_word


def query_analyses(query: str, languages: Sequence[str | None]) -> list[list[str]]:
    """The tokens of a query, once for each language of the corpus that it may be in, without repeats.

    languages: ISO 639-1 of the documents, None for documents whose language is not known; empty = one unknown language.

    A language shows by its function words, so the languages are taken that leave out most words of the query; where none
    leaves out any, all are. Documents of unknown language hold unstemmed words, so these are looked up too, without the
    function words.
    """
    known = [language for language in languages if language is not None]
    plain = list(dict.fromkeys(analyze(query, None)))
    # Short documents are of unknown language, but people ask about them with function words all the same.
    spoken = known or list(SHORT_LISTS)
    left_out = {language: sum(is_stop_word(token, language) for token in plain) for language in spoken}
    most = max(left_out.values(), default=0)
    chosen = [language for language in spoken if left_out[language] == most]
    analyses = [list(dict.fromkeys(analyze(query, language))) for language in chosen if language in known]
    if len(known) < len(languages) or not known:
        analyses.append([token for token in plain if not any(is_stop_word(token, language) for language in chosen)])
    return [analysis for analysis in analyses if analysis]
