"""Object storage on loopback: a real S3 server in this process, reached over HTTP."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from assets_store.variables import variables

_KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}


@contextmanager
def object_storage() -> Iterator[str]:
    """Address of an empty bucket with the endpoint in its query; keys are in the environment until the end.

    Servers of one process share what they hold, so each call has a bucket of its own.
    """
    from moto.server import ThreadedMotoServer
    from pyarrow import fs

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    bucket = f"docnav-{uuid.uuid4().hex}"
    try:
        with variables(_KEYS):
            host, port = server.get_host_and_port()
            query = f"endpoint_override={host}:{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
            storage, _ = fs.FileSystem.from_uri(f"s3://{bucket}/x?{query}")
            storage.create_dir(bucket)
            yield f"s3://{bucket}?{query}"
    finally:
        server.stop()


def below(address: str, prefix: str) -> str:
    """The address of a prefix in the bucket."""
    bucket, query = address.split("?", 1)
    return f"{bucket}/{prefix}?{query}"
