"""How requests reach an endpoint: bounded in time and size, recorded to a file, or replayed from one without any endpoint."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import httpx

from assets_store.ids import content_hash

# A reply of a chat endpoint is a few kilobytes; this leaves room for the longest one that a setting allows.
MAX_REPLY_BYTES = 4 * 2**20
_DEADLINE: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Inside, no request of this thread goes on for longer than `seconds` from now, all tries together."""
    token = _DEADLINE.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


class BoundedTransport(httpx.BaseTransport):
    """Ends a request whose reply takes too long or grows too large.

    The time-outs of httpx hold for each read, so a server that sends one byte a second is never too slow for them.
    timeout_s: seconds for one whole reply; `time_limit` may leave less.
    """

    def __init__(self, inner: httpx.BaseTransport, timeout_s: float, max_bytes: int = MAX_REPLY_BYTES) -> None:
        self._inner = inner
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        now = time.monotonic()
        limit = _DEADLINE.get()
        end = now + self._timeout_s if limit is None else min(now + self._timeout_s, limit)
        if end <= now:
            raise httpx.ReadTimeout("no time is left for this call", request=request)
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), end - now)
        response = self._inner.handle_request(request)
        if limit is not None and _retry_after(response) > limit - time.monotonic():
            # The client would wait for as long as the server asks, and have no time left to ask again.
            response.headers["x-should-retry"] = "false"
        response.stream = _BoundedStream(response.stream, end, self._max_bytes, request)
        return response

    def close(self) -> None:
        self._inner.close()


class _BoundedStream(httpx.SyncByteStream):
    def __init__(self, inner: object, end: float, max_bytes: int, request: httpx.Request) -> None:
        assert isinstance(inner, httpx.SyncByteStream)
        self._inner = inner
        self._end = end
        self._max_bytes = max_bytes
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._inner:
            size += len(part)
            if size > self._max_bytes:
                raise httpx.ReadError(f"the reply is longer than {self._max_bytes} bytes", request=self._request)
            if time.monotonic() > self._end:
                raise httpx.ReadTimeout("the reply took too long", request=self._request)
            yield part

    def close(self) -> None:
        self._inner.close()


class RecordingTransport(httpx.BaseTransport):
    """Passes requests on and writes each with its reply to a JSONL file. Headers, and so the key, are not written."""

    def __init__(self, inner: httpx.BaseTransport, path: str | Path) -> None:
        self._inner = inner
        self._path = Path(path)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._inner.handle_request(request)
        body = response.read()
        line = {"request": _asked(request), "status": response.status_code, "reply": body.decode("utf-8", "replace")}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return httpx.Response(response.status_code, headers={"content-type": "application/json"}, content=body, request=request)

    def close(self) -> None:
        self._inner.close()


class ReplayTransport(httpx.BaseTransport):
    """Replies from the file of a RecordingTransport. Equal requests get their replies in order, the last one again and again.

    A request that was not recorded is a connection error.
    """

    def __init__(self, path: str | Path) -> None:
        self._replies: dict[str, list[tuple[int, str]]] = {}
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            kept = json.loads(line)
            self._replies.setdefault(kept["request"], []).append((kept["status"], kept["reply"]))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        known = self._replies.get(_asked(request))
        if not known:
            raise httpx.ConnectError("this request was not recorded", request=request)
        status, reply = known.pop(0) if len(known) > 1 else known[0]
        return httpx.Response(status, headers={"content-type": "application/json"}, content=reply.encode(), request=request)


def _asked(request: httpx.Request) -> str:
    """Hash of what is asked, whatever the address of the server is."""
    body = json.loads(request.read() or b"null")
    return content_hash(json.dumps(body, sort_keys=True), length=32)


def _retry_after(response: httpx.Response) -> float:
    try:
        return float(response.headers.get("retry-after", 0))
    except ValueError:
        return 0.0
