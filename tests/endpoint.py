"""A real HTTP server on loopback that speaks the chat protocol and says what a test scripts."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Said:
    """A reply in full. text: None for a reply without a choice. status: of HTTP. param: which option an error complains about.

    retry_after: seconds, as a header. delay_s: before the reply is sent. states_usage: whether tokens are stated.
    """

    text: str | None = ""
    status: int = 200
    finish_reason: str = "stop"
    param: str | None = None
    retry_after: float | None = None
    delay_s: float = 0.0
    states_usage: bool = True


Script = Callable[[dict[str, Any]], str | int | Said]


@dataclass
class Endpoint:
    """base_url of the server, and the requests it got. A script maps a request to the text of the reply, to an HTTP error status, or to
    a reply in full."""

    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def scripted_endpoint(script: Script) -> Iterator[Endpoint]:
    """Serve until the end of the block."""
    seen = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.requests.append({**request, "authorization": self.headers.get("Authorization", "")})
            said = _in_full(script(request))
            time.sleep(said.delay_s)
            data = json.dumps(_body(said, request["model"])).encode()
            self.send_response(said.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if said.retry_after is not None:
                self.send_header("Retry-After", str(said.retry_after))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # the client waited no longer
                self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on the terminal of a test run."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    seen.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _in_full(said: str | int | Said) -> Said:
    if isinstance(said, Said):
        return said
    return Said(said) if isinstance(said, str) else Said(status=said)


def _body(said: Said, model: str) -> dict[str, Any]:
    if said.status != 200:
        return {"error": {"message": f"scripted {said.status}", "param": said.param}}
    message = {"role": "assistant", "content": said.text}
    choices = [] if said.text is None else [{"index": 0, "finish_reason": said.finish_reason, "message": message}]
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110} if said.states_usage else None
    return {"id": "1", "object": "chat.completion", "created": 0, "model": model, "choices": choices, "usage": usage}
