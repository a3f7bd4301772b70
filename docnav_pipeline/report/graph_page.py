"""The graph report as one HTML page: styles and pictures inside it, no script, nothing loaded from anywhere."""

from __future__ import annotations

import base64
import hashlib
from functools import partial
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from docnav_pipeline.report.charts import degrees_chart, depths_chart, scopes_chart
from docnav_pipeline.report.community_picture import communities_picture
from docnav_pipeline.report.drawing import EDGE_COLORS, shown
from docnav_pipeline.report.graph_report import GraphReport
from docnav_pipeline.report.tree_picture import tree_picture

_WHY, _TITLE = 160, 70


def render_graph_page(report: GraphReport) -> str:
    """The page. Equal reports give equal pages.

    Text of documents is escaped, shows control and direction characters as such, and is cut; pictures are images, in which nothing
    can run. The policy of the page allows its own styles and pictures inside the page, and nothing else.
    """
    style = resources.files("docnav_pipeline.report").joinpath("graph.css").read_text(encoding="utf-8")
    environment = Environment(
        loader=PackageLoader("docnav_pipeline", "report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"shown": partial(shown, most=_TITLE), "why": partial(shown, most=_WHY), "percent": _percent, "n": _number}
    facts = report.facts
    return environment.get_template("graph.html").render(
        facts=facts,
        headline=report.headline(),
        communities=report.communities,
        tree=report.tree,
        colors=EDGE_COLORS,
        style=Markup(style),  # noqa: S704 - a file of this package, and no text of a document
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        pictures={
            "degrees": _image(degrees_chart(facts.edges)),
            "depths": _image(depths_chart(facts.depths)),
            "scopes": _image(scopes_chart(facts.scopes)),
            "communities": _image(communities_picture(report.communities)),
            "tree": None if report.tree is None else _image(tree_picture(report.tree)),
        },
    )


def _image(svg: bytes) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg).decode()}"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"
