"""Sends what your program records to a hub, and recorded runs from a folder.

Two lines let the OpenTelemetry SDK do it:

from viva.sending import otlp_exporter
provider.add_span_processor(BatchSpanProcessor(otlp_exporter("https://viva.example", "viva_…")))

A folder is sent by `VIVA_KEY=viva_… python -m viva.sending FOLDER --dataset NAME --hub URL`.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

MISSING_PACKAGE = "Spans are sent by a package of OpenTelemetry. Install it with: pip install 'viva[otlp]'"


def otlp_exporter(url: str, key: str) -> "OTLPSpanExporter":
    """An exporter for the OpenTelemetry SDK that sends spans to the hub at `url`, with an API key."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(MISSING_PACKAGE) from error
    return OTLPSpanExporter(endpoint=f"{url.rstrip('/')}/v1/traces", headers={"Authorization": f"Bearer {key}"})


def send_folder(arguments: list[str] | None = None) -> int:
    """Send the runs of a folder. The exit code is 1 if the hub cannot be used, and 2 if a file cannot be read."""
    from viva.client.client import Client
    from viva.client.folders import list_files
    from viva.client.retrying import HubError, HubUnreachable
    from viva.kit.progress import show_progress

    parser = argparse.ArgumentParser("python -m viva.sending", description="Send recorded runs to a hub.")
    parser.add_argument("folder", type=Path, help="a folder with files of runs, in any form that Viva reads")
    parser.add_argument("--dataset", help="the dataset that the runs belong to")
    parser.add_argument("--hub", help="the address of the hub; VIVA_HUB if it is left out. The key is VIVA_KEY.")
    chosen = parser.parse_args(arguments)
    if not chosen.folder.is_dir():
        parser.error(f"{chosen.folder} is no folder.")
    total = sum(path.stat().st_size for path in list_files(chosen.folder))
    try:
        with Client(chosen.hub) as hub, show_progress("sending", total) as on_file:
            sent = hub.send_folder(chosen.folder, dataset=chosen.dataset, on_file=on_file)
    except (HubError, HubUnreachable) as error:
        sys.stderr.write(f"viva: {error}\nSend the folder again to go on: what is stored is not stored twice.\n")
        return 1
    for fault in sent.faults:
        sys.stderr.write(f"{fault.file}: {fault.message}\n")
    sys.stdout.write(f"{len(sent.traces)} runs are stored. {len(sent.faults)} faults were found.\n")
    return 2 if sent.faults else 0


if __name__ == "__main__":
    sys.exit(send_folder())
