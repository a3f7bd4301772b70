"""A real HTTP server on loopback that speaks the chat protocol and says what a test scripts."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[[dict[str, Any]], str | int]


@dataclass
class Endpoint:
    """base_url of the server, and the requests it got. A script maps a request to the text of the reply, or to an HTTP error status."""

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
            said = script(request)
            body: dict[str, Any] = {"error": {"message": f"scripted {said}"}}
            if isinstance(said, str):
                body = {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 0,
                    "model": request["model"],
                    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
                    "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
                }
            data = json.dumps(body).encode()
            self.send_response(200 if isinstance(said, str) else said)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
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
