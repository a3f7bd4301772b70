"""The report of one run: a self-contained HTML page without scripts, made from its artifacts and, while they are there, source pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from assets_store.errors import DocnavError
from docnav_agent.page_images import page_images
from docnav_agent.run_folder import StoredRun
from docnav_agent.sources import source_files
from docnav_agent.walk_map import walk_map

_MARK = re.compile(r"(\[E\d{2,}\])")
MAX_TEXT = 20_000


def run_report(run: StoredRun, store: str | None = None) -> str:
    """HTML of a run. store: where the source files are named; None draws boxes over blank pages.

    Whatever a run that was tampered with holds is escaped and shown; its broken promises stand at the top.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(files("docnav_agent").joinpath("templates", "run.html").read_text(encoding="utf-8"))
    answer = run.answer
    cited = [str(entry.get("evidence_id")) for entry in _dicts(answer.get("citations"))]
    images, no_images = _images(run, store)
    return template.render(
        run=run.run,
        options=_dicts(run.run.get("options")),
        without=_list(run.run.get("without")),
        answer=answer,
        parts=[(part[1:-1] if _MARK.fullmatch(part) else "", part) for part in _MARK.split(str(answer.get("answer") or ""))],
        cited=cited,
        unsupported=_dicts(answer.get("unsupported")),
        back_offs=[str(line) for line in _list(answer.get("back_offs"))],
        missing=[str(line) for line in _list(answer.get("missing"))],
        steps=[_step(step) for step in run.steps],
        evidence=[_evidence(name, item, images, cited) for name, item in sorted(run.evidence.items())],
        no_images=no_images,
        map=walk_map(run.steps, run.evidence, cited),
        problems=run.problems,
        seal=run.seal,
    )


def _images(run: StoredRun, store: str | None) -> tuple[dict[tuple[str, int], str], list[str]]:
    """Page images by document and page, and a line for each document that has none."""
    pages: dict[str, set[int]] = {}
    for item in run.evidence.values():
        for box in _boxes(item):
            pages.setdefault(str(item.get("doc_id")), set()).add(box["page"])
    if not pages or store is None:
        return {}, []
    try:
        from assets_store.store import Store

        found = source_files(Store.open(store), str(run.run.get("snapshot")), pages)
    except (DocnavError, OSError) as error:
        return {}, [f"Pages are blank, because the store cannot be read: {error}"]
    images: dict[tuple[str, int], str] = {}
    lines = []
    for doc_id, path in sorted(found.items()):
        drawn, fault = ({}, path) if isinstance(path, str) else page_images(path, pages[doc_id])
        images |= {(doc_id, page): data for page, data in drawn.items()}
        if fault:
            lines.append(f"{doc_id}: {fault}")
    return images, lines


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    action, seen, note = (value if isinstance(value := step.get(name), dict) else {} for name in ("action", "observation", "note"))
    arguments = {name: value for name, value in action.items() if name != "kind" and value not in (None, [], "")}
    return {
        "number": step.get("step"),
        "controller": step.get("controller") or "",
        "kind": str(action.get("kind")),
        "arguments": "; ".join(
            f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}" for name, value in arguments.items()
        ),
        "why": step.get("why"),
        "status": seen.get("status"),
        "message": seen.get("message"),
        "made": [str(name) for name in _list(step.get("evidence_made"))],
        "found": [str(line) for line in _list(note.get("found_so_far"))],
        "missing": [str(line) for line in _list(note.get("missing_so_far"))],
        "next": note.get("next_step") or "",
        "calls": _dicts(step.get("calls")),
    }


def _evidence(name: str, item: Mapping[str, Any], images: Mapping[tuple[str, int], str], cited: list[str]) -> dict[str, Any]:
    boxes = _boxes(item)
    pages = [
        {
            "number": page,
            "image": images.get((str(item.get("doc_id")), page), ""),
            "boxes": [box["style"] for box in boxes if box["page"] == page],
        }
        for page in sorted({box["page"] for box in boxes})
    ]
    return {
        "id": name,
        "cited": name in cited,
        "doc": item.get("doc"),
        "section": " > ".join(map(str, _list(item.get("section")))),
        "node_id": item.get("node_id"),
        "step": item.get("step"),
        "why": item.get("why"),
        "usefulness": round(useful, 3) if isinstance(useful := item.get("usefulness"), float) else useful,
        "text": str(item.get("text"))[:MAX_TEXT],
        "pages": pages,
    }


def _boxes(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Boxes whose numbers are numbers, as percentages of the page."""
    found = []
    for box in _dicts(item.get("boxes")):
        page, bbox = box.get("page"), box.get("bbox")
        if not isinstance(page, int) or not isinstance(bbox, list) or len(bbox) != 4:
            continue
        if not all(isinstance(value, int | float) and 0 <= value <= 1 for value in bbox):
            continue
        x0, y0, x1, y1 = (float(value) for value in bbox)
        style = f"left:{100 * x0:.2f}%;top:{100 * y0:.2f}%;width:{100 * max(0.0, x1 - x0):.2f}%;height:{100 * max(0.0, y1 - y0):.2f}%"
        found.append({"page": page, "style": style})
    return found


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _dicts(value: object) -> list[dict[str, Any]]:
    return [entry for entry in _list(value) if isinstance(entry, dict)]
