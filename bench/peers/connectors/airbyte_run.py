"""PyAirbyte: runs the source beside it and merges its rows into Postgres."""
import os
import stat
import sys
from urllib.parse import urlparse

import airbyte

folder = os.environ["PEER_FOLDER"]
program = os.path.join(folder, "source-peer")
source_file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "airbyte_source.py")
with open(program, "w") as file:
    file.write(f'#!/bin/sh\nexec {sys.executable} {source_file} "$@"\n')
os.chmod(program, stat.S_IRWXU)
url = urlparse(os.environ["PEER_DATABASE"])
cache = airbyte.caches.PostgresCache(
    host=url.hostname, port=url.port, username=url.username, password=url.password, database=url.path[1:], schema_name="peer",
    cache_dir=os.path.join(folder, "cache"),
)
source = airbyte.get_source("source-peer", local_executable=program, config={}, streams=["keyword_rankings"])
source.read(cache=cache, write_strategy="merge")
