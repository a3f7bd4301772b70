"""A server on loopback that breaks the chat protocol in one chosen way."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Respond = Callable[[BaseHTTPRequestHandler], None]


def send(handler: BaseHTTPRequestHandler, body: bytes, status: int = 200, **headers: str) -> None:
    """One whole response."""
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def chat(content: object) -> bytes:
    """The body of a good response."""
    message = {"role": "assistant", "content": content}
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [{"index": 0, "message": message}]}
    return json.dumps(body).encode()


def late(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(1.5)
    send(handler, chat("{}"))


def busy(handler: BaseHTTPRequestHandler) -> None:
    send(handler, b'{"error": {"message": "slow down"}}', 429, Retry_After="30")


def broken(handler: BaseHTTPRequestHandler) -> None:
    send(handler, b'{"error": {"message": "out of memory"}}', 500)


def truncated(handler: BaseHTTPRequestHandler) -> None:
    send(handler, chat('{"action": "fetch"')[:-30])


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"id"')
    handler.close_connection = True


def no_choices(handler: BaseHTTPRequestHandler) -> None:
    send(handler, b'{"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": []}')


def no_content(handler: BaseHTTPRequestHandler) -> None:
    send(handler, chat(None))


def wrong_form(handler: BaseHTTPRequestHandler) -> None:
    send(handler, chat('{"answer": 42, "colour": ["red"]}'))


def wrong_protocol(handler: BaseHTTPRequestHandler) -> None:
    send(handler, b'["a", "list"]')


def web_page(handler: BaseHTTPRequestHandler) -> None:
    send(handler, b"<html>Welcome to the router</html>", Content_Type="text/html")


def dripping(handler: BaseHTTPRequestHandler) -> None:
    body = chat('{"action": "fetch"}')
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    for byte in body:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        time.sleep(0.05)


def huge(handler: BaseHTTPRequestHandler) -> None:
    send(handler, chat("x" * (6 * 2**20)))


FAULTS: dict[str, Respond] = {
    "time-out": late,
    "429 with Retry-After": busy,
    "500": broken,
    "truncated JSON": truncated,
    "cut off": cut_off,
    "empty choices": no_choices,
    "no content": no_content,
    "wrong schema": wrong_form,
    "wrong protocol": wrong_protocol,
    "a web page": web_page,
    "slow stream": dripping,
    "huge reply": huge,
}


@contextmanager
def faulty_endpoint(respond: Respond) -> Iterator[str]:
    """Serve until the end of the block; gives the base_url."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            try:
                respond(self)
            except OSError:
                self.close_connection = True  # the client has gone, which is what some faults are about

        def log_message(self, format: str, *args: object) -> None:
            """Nothing on the terminal of a test run."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
