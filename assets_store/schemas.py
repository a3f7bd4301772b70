"""Every table: columns, types, keys and one sentence per column. Opens nothing.

Tables of kind "document" are kept in one part per hash shard and their rows carry `doc_id` and `doc_version`, the hash of
what the row was made from (content, code and settings). Tables of kind "corpus" name their sources by id.
`docs/tables.md` is printed from this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

SCHEMA_VERSION = 2

_TEXT = pa.string()
_INT = pa.int32()
_REAL = pa.float32()
_BOX = pa.list_(_REAL)
_TEXTS = pa.list_(_TEXT)
_VECTOR = pa.list_(_REAL)
_BOXES = pa.list_(pa.struct([("page", _INT), ("bbox", _BOX)]))
_WEIGHTED = pa.list_(pa.struct([("term", _TEXT), ("weight", _REAL)]))


@dataclass(frozen=True, slots=True)
class Column:
    """One column. null: whether a value may be absent."""

    name: str
    type: pa.DataType
    doc: str
    null: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table. key: columns that are unique together; sort: order of rows in a file."""

    name: str
    kind: Literal["document", "corpus"]
    doc: str
    key: tuple[str, ...]
    sort: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(c.name, c.type, nullable=c.null) for c in self.columns])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)


_OF_DOCUMENT = (
    Column("doc_id", _TEXT, "Document that the row belongs to."),
    Column("doc_version", _TEXT, "Hash of content, code and settings that the row was made from."),
)

DOCUMENTS = TableSpec(
    "documents",
    "document",
    "One source file, or one line of a JSONL file, whatever became of it.",
    key=("doc_id",),
    sort=("doc_id",),
    columns=(
        *_OF_DOCUMENT,
        Column("doc", _TEXT, "Name that people see: the file name, or the `id` of a JSONL line."),
        Column("uri", _TEXT, "POSIX path relative to the registered root, with `#id` for a line of a JSONL file."),
        Column("root", _TEXT, "Registered root folder that holds the file."),
        Column("kb", _TEXT, "Knowledge base."),
        Column("product_version", _TEXT, "Version of the product that the document describes; empty for none."),
        Column("access_labels", _TEXTS, "Labels of which a reader needs at least one; empty means public."),
        Column("sha256", _TEXT, "Hex SHA-256 of the file, or of the JSONL line."),
        Column("bytes", pa.int64(), "Size of the file, or of the JSONL line."),
        Column("media_type", _TEXT, "Media type found in the content."),
        Column("title", _TEXT, "Title, from the source or its first heading; the file name where there is none."),
        Column("language", _TEXT, "ISO 639-1 code, declared or detected; null when neither worked.", null=True),
        Column("status", _TEXT, "`ok`, `needs_ocr`, `encrypted`, `corrupt`, `empty`, `unsupported`, `too_large` or `failed`."),
        Column("reason", _TEXT, "Why the status is not `ok`, and what can be done; empty for `ok`."),
        Column("n_pages", _INT, "Pages; null where the format has none.", null=True),
        Column("pages_without_text", pa.list_(_INT), "Pages that would need OCR."),
        Column("parser", _TEXT, "Parser and its version."),
        Column("overrides", _TEXT, "Text of the overrides file beside the source; empty for none."),
        Column("warnings", _TEXTS, "What the parser could not read but could leave out."),
    ),
)

LAYOUT = TableSpec(
    "layout",
    "document",
    "One layout block, in reading order.",
    key=("doc_id", "block"),
    sort=("doc_id", "block"),
    columns=(
        *_OF_DOCUMENT,
        Column("block", _INT, "Position in reading order, from 0."),
        Column("type", _TEXT, "Kind of block: title, text, list, table, code, caption, footnote, contents, outline, furniture, ..."),
        Column("sub_type", _TEXT, "Finer kind: document_title, header, footer, page_number, ...", null=True),
        Column("text", _TEXT, "Text in logical order; rows of a table as lines with cells between ` | `."),
        Column("page", _INT, "Page from 1; null where the format has none.", null=True),
        Column("bbox", _BOX, "x0, y0, x1, y1 in 0..1 from the top left; null where unknown.", null=True),
        Column("level", _INT, "Heading level as the source states it, 1 = top; null where it states none.", null=True),
        Column("html", _TEXT, "Markup of a table; null for everything else.", null=True),
        Column("anchor", _TEXT, "Fragment id in the source, for links.", null=True),
        Column("target", _TEXT, "Page or anchor that a contents or outline entry points to.", null=True),
        Column("links", pa.list_(pa.struct([("text", _TEXT), ("target", _TEXT)])), "Links inside the text, targets as written."),
        Column("continues_previous", pa.bool_(), "The text goes on from the last text block over a column or page break."),
        Column("size_pt", _REAL, "Font size in points.", null=True),
        Column("weight", _INT, "Font weight, 100..900.", null=True),
        Column("italic", pa.bool_(), "Whether the block is set in italics.", null=True),
        Column(
            "lines",
            pa.list_(pa.struct([("text", _TEXT), ("bbox", _BOX), ("size_pt", _REAL), ("weight", _INT), ("italic", pa.bool_())])),
            "Printed lines with their typography; empty where unknown.",
        ),
    ),
)

TREE = TableSpec(
    "tree",
    "document",
    "One node of the heading tree: the document, a section or a paragraph.",
    key=("node_id",),
    sort=("doc_id", "preorder"),
    columns=(
        *_OF_DOCUMENT,
        Column("node_id", _TEXT, "Stable id of the node."),
        Column("kind", _TEXT, "`document`, `section` or `paragraph`."),
        Column("parent_id", _TEXT, "Parent node; null for the document.", null=True),
        Column("depth", _INT, "Steps from the document, which has 0."),
        Column("position", _INT, "Order among the siblings, from 0."),
        Column("preorder", _INT, "Order in the document when every parent comes before its children, from 0."),
        Column("title", _TEXT, "Title with its label as printed; empty for a paragraph."),
        Column("label", _TEXT, "Printed label, such as `2.1`; empty where there is none."),
        Column("path", _TEXTS, "Titles from the top section down to this node (a paragraph has its section's path)."),
        Column("evidence", _TEXTS, "Kinds of evidence that made this a heading of this level, strongest first."),
        Column("confidence", _REAL, "Confidence in heading and level, 0..1; 1 for documents and paragraphs."),
        Column("page_start", _INT, "First page; null where the format has none.", null=True),
        Column("page_end", _INT, "Last page; null where the format has none.", null=True),
        Column("boxes", _BOXES, "Where the heading is printed; empty for other nodes or where unknown."),
        Column("anchor", _TEXT, "Fragment id of the heading in the source; null where there is none.", null=True),
        Column("token_start", _INT, "Tokens of the document's paragraphs before this node."),
        Column("n_tokens", _INT, "Tokens of the paragraphs below this node: l(u)."),
        Column("height", _INT, "Longest way down to a paragraph: h(u); 0 for a paragraph."),
    ),
)

PARAGRAPHS = TableSpec(
    "paragraphs",
    "document",
    "One evidence unit of 200-400 tokens.",
    key=("paragraph_id",),
    sort=("doc_id", "position"),
    columns=(
        *_OF_DOCUMENT,
        Column("paragraph_id", _TEXT, "Node id of the paragraph."),
        Column("parent_id", _TEXT, "Section or document that holds it."),
        Column("position", _INT, "Reading order in the document, from 0."),
        Column("kind", _TEXT, "`text`, `table`, `code` or `footnote`: what most of the unit is."),
        Column("text", _TEXT, "Text as in the source after layout repair, otherwise unchanged."),
        Column("n_tokens", _INT, "Tokens of the text."),
        Column("path", _TEXTS, "Titles from the top section down to its section."),
        Column("page_start", _INT, "First page; null where the format has none.", null=True),
        Column("page_end", _INT, "Last page; null where the format has none.", null=True),
        Column("boxes", _BOXES, "Boxes of the source blocks; empty where unknown."),
        Column("blocks", pa.list_(_INT), "Source blocks, as positions in `layout`."),
    ),
)

PARSE_QUALITY = TableSpec(
    "parse_quality",
    "document",
    "How well one document was read: what its headings rest on, what was repaired, what is missing.",
    key=("doc_id",),
    sort=("doc_id",),
    columns=(
        *_OF_DOCUMENT,
        Column("n_headings", _INT, "Recovered headings."),
        Column("n_levels", _INT, "Levels of headings in use."),
        Column("evidence", pa.list_(pa.struct([("kind", _TEXT), ("count", _INT)])), "Headings by their strongest evidence, most first."),
        Column("confidence", _REAL, "Mean confidence of the headings, 0..1; null without headings.", null=True),
        Column("n_doubtful", _INT, "Headings below a confidence of 0.75."),
        Column("n_repaired", _INT, "Headings that the parser had not set apart: cut out of text, joined, or typed as something else."),
        Column("n_rejected", _INT, "Titles of the parser that are no headings."),
        Column("contents_entries", _INT, "Entries of printed contents."),
        Column("contents_matched", _INT, "Entries of printed contents that were found as headings."),
        Column("n_empty_sections", _INT, "Sections without any text of their own or below."),
        Column("orphan_share", _REAL, "Share of the tokens that stand in no section, 0..1."),
        Column("n_pages", _INT, "Pages; null where the format has none.", null=True),
        Column("pages_without_text", _INT, "Pages that would need OCR."),
        Column("n_furniture", _INT, "Blocks kept out of the text: running headers and footers, page numbers, margin notes."),
        Column("n_footnotes", _INT, "Footnotes, kept apart from the running text."),
        Column("llm_calls", _INT, "Calls of a language model for the levels of the headings; 0 unless `hierarchy.llm_levels` is on."),
        Column("prompt_tokens", _INT, "Tokens read by it."),
        Column("completion_tokens", _INT, "Tokens written by it."),
        Column("llm_faults", _INT, "Replies that could not be used; their headings kept the levels they had."),
        Column("unmatched_overrides", _TEXTS, "Corrections of the overrides file that matched nothing."),
    ),
)

FEATURES = TableSpec(
    "features",
    "document",
    "Entities, keywords and references of one paragraph.",
    key=("paragraph_id",),
    sort=("doc_id", "paragraph_id"),
    columns=(
        *_OF_DOCUMENT,
        Column("paragraph_id", _TEXT, "Paragraph."),
        Column(
            "entities",
            pa.list_(pa.struct([("text", _TEXT), ("label", _TEXT), ("source", _TEXT), ("count", _INT)])),
            "Entities with label, source (`ner`, `identifier`, `acronym`) and number of mentions.",
        ),
        Column("keywords", pa.list_(pa.struct([("term", _TEXT), ("count", _INT)])), "Most frequent terms and phrases, stop words out."),
        Column("citations", _TEXTS, "Citation mentions as printed: `[12]`, `(Smith et al., 2020)`."),
        Column(
            "cross_references",
            pa.list_(pa.struct([("text", _TEXT), ("kind", _TEXT), ("target", _TEXT)])),
            "Mentions of other places: kind `section`, `chapter`, `appendix`, `table`, `figure`, `page`, `title`, ... and the label meant.",
        ),
    ),
)

EMBEDDINGS = TableSpec(
    "embeddings",
    "document",
    "The vector of one paragraph.",
    key=("paragraph_id",),
    sort=("doc_id", "paragraph_id"),
    columns=(
        *_OF_DOCUMENT,
        Column("paragraph_id", _TEXT, "Paragraph."),
        Column("vector", _VECTOR, "Vector of length 1 of path and text."),
        Column("text_hash", _TEXT, "Hash of what was encoded; equal texts share one encoding."),
        Column("model", _TEXT, "Model id with the hash of its weights."),
        Column("n_windows", _INT, "Windows that were encoded and pooled; 1 where the text fits the model."),
    ),
)

PROFILES = TableSpec(
    "profiles",
    "document",
    "The bottom-up view of one tree node.",
    key=("node_id",),
    sort=("doc_id", "node_id"),
    columns=(
        *_OF_DOCUMENT,
        Column("node_id", _TEXT, "Tree node."),
        Column("vector", _VECTOR, "Child vectors pooled and brought to length 1; empty for a node without text below it."),
        Column("keywords", _WEIGHTED, "Terms gathered from below, heaviest first."),
        Column("entities", _WEIGHTED, "Entities gathered from below, heaviest first."),
        Column("topic_cues", _TEXTS, "Titles of the children, or the heaviest terms where they have none."),
        Column("path", _TEXTS, "Titles from the top section down to this node."),
        Column(
            "in_R",
            pa.bool_(),
            "Whether the node is in R_d, the scopes with a routing profile; null in rows of a schema before version 2.",
            null=True,
        ),
    ),
)

ROUTING_PROFILES = TableSpec(
    "routing_profiles",
    "document",
    "The routing profile of one node in R_d.",
    key=("node_id",),
    sort=("doc_id", "node_id"),
    columns=(
        *_OF_DOCUMENT,
        Column("node_id", _TEXT, "Node in R_d."),
        Column("summary", _TEXT, "What the scope is about."),
        Column("key_concepts", _TEXTS, "Its main terms."),
        Column("subtopics", _TEXTS, "Its major parts."),
        Column(
            "made_by",
            _TEXT,
            "`llm`, or `extractive`; where a model was wanted, with the reason: `extractive:over_budget`, `extractive:invalid_reply`, "
            "`extractive:refused` (by the endpoint), `extractive:no_text`.",
        ),
        Column("model", _TEXT, "Model that was asked; empty for none."),
        Column("prompt_version", _TEXT, "Version of the prompt; empty where no model was asked."),
        Column("prompt_tokens", _INT, "Tokens read by the model."),
        Column("completion_tokens", _INT, "Tokens written by the model."),
    ),
)

SUMMARIES = TableSpec(
    "summaries",
    "document",
    "The summary of one node: what a reader who descends the directory is shown. Filled where `graph.summaries` is on.",
    key=("node_id",),
    sort=("doc_id", "node_id"),
    columns=(
        *_OF_DOCUMENT,
        Column("node_id", _TEXT, "Tree node."),
        Column("kind", _TEXT, "`directory` for a document or section, `content` for a paragraph."),
        Column("summary", _TEXT, "What it is about; empty where it holds no text."),
        Column("made_by", _TEXT, "`extractive`: sentences of the text, word for word."),
        Column("model", _TEXT, "Model that wrote it; empty for `extractive`."),
        Column("prompt_version", _TEXT, "Version of the prompt; empty for `extractive`."),
    ),
)

EDGE_KINDS = ("adjacent", "citation", "cross_reference", "title_mention", "entity", "semantic")
LATERAL_EDGES = TableSpec(
    "lateral_edges",
    "corpus",
    "One typed edge between nodes.",
    key=("source_id", "target_id", "kind"),
    sort=("source_id", "kind", "target_id"),
    columns=(
        Column("source_id", _TEXT, "Node that the edge leaves."),
        Column("target_id", _TEXT, "Node that it reaches; for a candidate that nothing resolves, the text of the mention."),
        Column("kind", _TEXT, "`adjacent`, `citation`, `cross_reference`, `title_mention`, `entity` or `semantic`."),
        Column("weight", _REAL, "Strength, 0..1."),
        Column("why", _TEXT, "What the edge rests on: the mention, the title named, the shared entities, the similarity."),
        Column("status", _TEXT, "`confirmed`, or `candidate` where the mention could not be resolved for certain."),
    ),
)

COMMUNITIES = TableSpec(
    "communities",
    "corpus",
    "One member of one community.",
    key=("community_id", "node_id"),
    sort=("level", "community_id", "node_id"),
    columns=(
        Column("community_id", _TEXT, "Community, a LOCATE target."),
        Column("node_id", _TEXT, "Member: a document, or a top section of a long one."),
        Column("level", _INT, "0 for the finest partition."),
        Column("size", _INT, "Members of the community."),
        Column("label_terms", _TEXTS, "Distinctive terms of the community."),
        Column("unit", _TEXT, "What was clustered: `document` or `section`."),
    ),
)

ENTITIES = TableSpec(
    "entities",
    "corpus",
    "One unique entity with its mentions.",
    key=("entity_id",),
    sort=("entity_id",),
    columns=(
        Column("entity_id", _TEXT, "Hash of the normalised name."),
        Column("name", _TEXT, "Most frequent spelling."),
        Column("label", _TEXT, "Most frequent label."),
        Column("n_mentions", _INT, "Mentions in all paragraphs."),
        Column("mentions", pa.list_(pa.struct([("paragraph_id", _TEXT), ("count", _INT)])), "Paragraphs that mention it."),
    ),
)

ENTITY_EDGES = TableSpec(
    "entity_edges",
    "corpus",
    "Two entities that stand in the same paragraphs.",
    key=("source_id", "target_id"),
    sort=("source_id", "target_id"),
    columns=(
        Column("source_id", _TEXT, "Entity with the smaller id."),
        Column("target_id", _TEXT, "Entity with the larger id."),
        Column("weight", _REAL, "Co-occurrences, summed over paragraphs."),
    ),
)

TABLES: dict[str, TableSpec] = {
    spec.name: spec
    for spec in (
        DOCUMENTS,
        LAYOUT,
        TREE,
        PARAGRAPHS,
        PARSE_QUALITY,
        FEATURES,
        EMBEDDINGS,
        PROFILES,
        ROUTING_PROFILES,
        SUMMARIES,
        LATERAL_EDGES,
        COMMUNITIES,
        ENTITIES,
        ENTITY_EDGES,
    )
}
