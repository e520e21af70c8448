"""dlt: a resource that replaces whole weeks, as its documentation advises for data that is restated by period."""
import os

import dlt

import service


@dlt.resource(name="keyword_rankings", write_disposition="merge", merge_key=["account_id", "time_period_start"])
def keyword_rankings():
    done = dlt.current.resource_state().setdefault("weeks", [])
    for week in service.weeks():
        if week in done and not service.RELOADS:
            continue
        yield from service.pages(week)
        if week not in done:
            done.append(week)


pipeline = dlt.pipeline(
    "peer", destination=dlt.destinations.postgres(os.environ["PEER_DATABASE"]), dataset_name="peer", pipelines_dir=os.environ["PEER_FOLDER"]
)
pipeline.run(keyword_rankings(), loader_file_format="csv")
