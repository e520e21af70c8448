"""A Singer tap for target-postgres: rows have a key, and the weeks that are done are the state."""
import json
import os
import sys

import service

path = os.path.join(os.environ["PEER_FOLDER"], "state.json")
lines = open(path).read().split("\n") if os.path.exists(path) else []
states = [json.loads(line) for line in lines if line.endswith("}")]
done = set(states[-1]["weeks"]) if states else set()


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")


say({"type": "SCHEMA", "stream": "keyword_rankings", "schema": service.json_schema(), "key_properties": ["row_key"]})
for week in service.weeks():
    if week in done and not service.RELOADS:
        continue
    for page in service.pages(week):
        for row in page:
            say({"type": "RECORD", "stream": "keyword_rankings", "record": row})
    done.add(week)
    say({"type": "STATE", "value": {"weeks": sorted(done)}})
    sys.stdout.flush()
