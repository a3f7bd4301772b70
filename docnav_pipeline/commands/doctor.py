"""`docnav doctor`: whether a store is whole."""

from __future__ import annotations

import click

from assets_store.commandline import json_option, print_json, store_option


@click.command()
@click.option("--repair", "with_repair", is_flag=True, help="Take damaged files away first; the next `docnav index` makes them anew.")
@store_option
@json_option
def doctor(with_repair: bool, store: str, as_json: bool) -> int:
    """Verify hashes, references and counts of the current snapshot, and that its models can be had."""
    from assets_store.store import Store
    from assets_store.terminal import complain, console, printable
    from docnav_pipeline.doctor import examine, repair
    from docnav_pipeline.opening import writing

    opened = Store.open(store)
    if with_repair:
        with writing(opened):
            taken = repair(opened)
        for path in taken:
            complain(f"mended: {path}")
        complain(f"{len(taken)} damaged files taken away; run `docnav index` with all paths of the store at once to make them anew")
        return 0
    findings = examine(opened)
    if as_json:
        print_json({"findings": [{"check": f.check, "passed": not f.faults, "faults": f.faults} for f in findings]})
    else:
        for finding in findings:
            out = console()
            out.print(f"{'ok   ' if not finding.faults else 'FAULT'} {finding.check}")
            for fault in finding.faults[:5]:
                out.print(printable(f"      {fault}"))
            if len(finding.faults) > 5:
                out.print(f"      and {len(finding.faults) - 5} more")
    return 1 if any(f.faults for f in findings) else 0
