"""The service for the peers' connectors: submit, poll, pages, a limit for this process, and weeks from the environment."""
import collections
import datetime
import hashlib
import os
import time

import requests

BASE = os.environ["PEER_SERVICE"] + "/data-api/v1/async/keyword_rankings"
ACCOUNT = int(os.environ["PEER_ACCOUNT"])
SUBMITS_A_MINUTE = int(os.environ["PEER_SUBMITS"])
RELOADS = os.environ.get("PEER_RELOADS") == "1"
IDENTITY = ["web_property_id", "time_period_start", "time_period_end", "collection_date", "search_engine", "search_engine_country_code",
            "search_engine_language_code", "locode", "device", "query", "normalized_url", "result_type", "rank_true"]
CASTS = {"integer": int, "float": float, "boolean": lambda text: text == "true"}
JSON_TYPES = {"integer": "integer", "float": "number", "boolean": "boolean"}

session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["PEER_TOKEN"]
submitted = collections.deque()


def weeks():
    """First days of the weeks that are wanted, as ISO dates."""
    first = datetime.date.fromisoformat(os.environ["PEER_FIRST_WEEK"])
    return [(first + datetime.timedelta(days=7 * at)).isoformat() for at in range(int(os.environ["PEER_WEEKS"]))]


def call(body):
    while True:
        answer = session.post(BASE, json=body, timeout=60)
        if answer.status_code != 429 and answer.status_code < 500:
            answer.raise_for_status()
            return answer.json()
        time.sleep(float(answer.headers.get("Retry-After", 5)))


def submit(week):
    while len(submitted) >= SUBMITS_A_MINUTE and time.monotonic() - submitted[0] < 60:
        time.sleep(0.2)
    if len(submitted) >= SUBMITS_A_MINUTE:
        submitted.popleft()
    submitted.append(time.monotonic())
    last = datetime.date.fromisoformat(week) + datetime.timedelta(days=6)
    return call({"account_id": ACCOUNT, "start_date": week, "end_date": last.isoformat()})["executionId"]


def pages(week):
    """Lists of rows as dictionaries, with the types of the schema and a key over the columns that identify a row."""
    execution = submit(week)
    answer = call({"executionId": execution})
    while answer["executionState"] == "IN_PROGRESS":
        time.sleep(0.2)
        answer = call({"executionId": execution})
    if answer["executionState"] != "COMPLETED":
        raise RuntimeError("the query failed")
    while True:
        columns = [(column["name"], CASTS.get(column["type"], str)) for column in answer["schema"]]
        yield [as_record(columns, row) for row in answer.get("results", [])]
        if not answer.get("nextPageId"):
            return
        answer = call({"executionId": execution, "nextPageId": answer["nextPageId"], "pageSize": 1000})


def as_record(columns, row):
    record = {name: None if value is None else cast(value) for (name, cast), value in zip(columns, row)}
    record["row_key"] = hashlib.md5("\x1f".join(str(record.get(name)) for name in IDENTITY).encode()).hexdigest()
    return record


def json_schema():
    """Of a row, as the specification names its columns: PEER_COLUMNS is name:type, with commas between them."""
    columns = [column.split(":") for column in os.environ["PEER_COLUMNS"].split(",")]
    properties = {name: {"type": ["null", JSON_TYPES.get(kind, "string")]} for name, kind in columns}
    return {"type": "object", "properties": {**properties, "row_key": {"type": "string"}}}
