"""Dagster: a sensor that asks for a run of each week of Searchmill that has changed.

Needs psycopg and the variable SEARCHMILL_DATABASE_URL of a login that `searchmill login` makes. The sensor is on where a Dagster daemon runs.
Dagster writes the cursor when the runs are asked for, and knows a run by its key, so no week is missed. A key holds the round: a new one
begins with the first look, after you reset the cursor, and when the ledger is another, as after a restore. Then every week is asked for again.
A week whose newest run has failed, all retries included, is asked for again at each look until it is replaced; one that you cancel is not.
"""

import json
import os
import uuid

import dagster as dg
import psycopg

CHANGED_WEEKS = """
SELECT dataset, account_id, week, publication, cursor, ledger
  FROM search_reports.changed_weeks
 WHERE cursor > CASE WHEN ledger = %(ledger)s THEN %(cursor)s ELSE 0 END
 ORDER BY cursor
 LIMIT 200
"""


CONSUMER = "replaced_week"
OF_WEEK = ("searchmill/consumer", "searchmill/dataset", "searchmill/account", "searchmill/week")


class ChangedWeek(dg.Config):
    dataset: str
    account: int
    week: str
    removed: bool


@dg.asset(retry_policy=dg.RetryPolicy(max_retries=3, delay=60, backoff=dg.Backoff.EXPONENTIAL))
def replaced_week(context: dg.AssetExecutionContext, config: ChangedWeek) -> None:
    """What you do with it: replace the week of the account whole. A removed week has no rows any more."""
    context.log.info(f"replace {config.dataset}, account {config.account}, week {config.week}")


def failed_weeks(instance: dg.DagsterInstance) -> list[dg.RunRequest]:
    """At most 200 weeks whose newest run has failed. The key is that of the run, so each is followed by one more."""
    of_consumer = dg.RunsFilter(tags={"searchmill/consumer": CONSUMER}, statuses=[dg.DagsterRunStatus.FAILURE])
    looked_at: set[tuple[str, ...]] = set()
    requests: list[dg.RunRequest] = []
    page = instance.get_runs(filters=of_consumer, limit=200)
    while page and len(requests) < 200:
        for run in page:
            of_week = {name: run.tags[name] for name in OF_WEEK}
            if tuple(of_week.values()) in looked_at:
                continue
            looked_at.add(tuple(of_week.values()))
            newest = instance.get_runs(filters=dg.RunsFilter(tags=of_week), limit=1)
            if newest and newest[0].run_id == run.run_id:
                tags = {name: value for name, value in run.tags.items() if name.startswith("searchmill/")}
                requests.append(dg.RunRequest(run_key=f"searchmill-after-{run.run_id}", run_config=run.run_config, tags=tags))
        page = instance.get_runs(filters=of_consumer, cursor=page[-1].run_id, limit=200)
    return requests[:200]


@dg.sensor(target=replaced_week, minimum_interval_seconds=600, default_status=dg.DefaultSensorStatus.RUNNING)
def changed_weeks(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    # A cursor that somebody typed, or of an earlier form of this sensor, is none.
    seen = json.loads(context.cursor) if (context.cursor or "").startswith("{") else {}
    after = {"ledger": seen.get("ledger", ""), "cursor": seen.get("cursor", 0)}
    with psycopg.connect(os.environ["SEARCHMILL_DATABASE_URL"]) as connection:
        rows = connection.execute(CHANGED_WEEKS, after).fetchall()
    requests = failed_weeks(context.instance)
    if not rows:
        return dg.SensorResult(run_requests=requests) if requests else dg.SkipReason("no week has changed")
    *_, last, ledger = rows[-1]
    turn = seen["round"] if seen.get("ledger") == ledger else uuid.uuid4().hex
    for dataset, account, week, publication, cursor, _ in rows:
        removed = publication is None
        of_week = ChangedWeek(dataset=dataset, account=account, week=str(week), removed=removed)
        tags = dict(zip(OF_WEEK, (CONSUMER, dataset, str(account), str(week))))
        tags["searchmill/change"] = "removed" if removed else "published"
        if not removed:
            tags["searchmill/publication"] = str(publication)
        run_config = dg.RunConfig(ops={CONSUMER: of_week})
        requests.append(dg.RunRequest(run_key=f"searchmill-{turn}-{cursor}", run_config=run_config, tags=tags))
    return dg.SensorResult(run_requests=requests, cursor=json.dumps({"ledger": ledger, "cursor": last, "round": turn}))


# A run has one step, so it needs no process beside its own: it takes half of the time, and the first look asks for hundreds of runs.
defs = dg.Definitions(assets=[replaced_week], sensors=[changed_weeks], executor=dg.in_process_executor)
