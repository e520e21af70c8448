"""Dagster: a sensor that asks for a run of each week of Searchmill that has changed.

Needs psycopg and the variable SEARCHMILL_DATABASE_URL of a login with searchmill_reader. Dagster writes the cursor when the runs are
asked for, and knows a run by its key, so no week is missed and none is asked for twice.
"""

import os

import dagster as dg
import psycopg

CHANGED_WEEKS = """
SELECT dataset, account_id, week, publication, cursor
  FROM search_reports.changed_weeks
 WHERE cursor > %(cursor)s
 ORDER BY cursor
 LIMIT 200
"""


class ChangedWeek(dg.Config):
    dataset: str
    account: int
    week: str


@dg.asset
def replaced_week(context: dg.AssetExecutionContext, config: ChangedWeek) -> None:
    """What you do with it: replace the week of the account whole."""
    context.log.info(f"replace {config.dataset}, account {config.account}, week {config.week}")


@dg.sensor(target=replaced_week, minimum_interval_seconds=600)
def changed_weeks(context: dg.SensorEvaluationContext) -> dg.SensorResult:
    with psycopg.connect(os.environ["SEARCHMILL_DATABASE_URL"]) as connection:
        rows = connection.execute(CHANGED_WEEKS, {"cursor": int(context.cursor or 0)}).fetchall()
    requests = [
        dg.RunRequest(
            run_key=f"searchmill-{cursor}",
            run_config=dg.RunConfig(ops={"replaced_week": ChangedWeek(dataset=dataset, account=account, week=str(week))}),
            tags={"searchmill/publication": str(publication)},
        )
        for dataset, account, week, publication, cursor in rows
    ]
    return dg.SensorResult(run_requests=requests, cursor=str(rows[-1][-1]) if rows else context.cursor)


defs = dg.Definitions(assets=[replaced_week], sensors=[changed_weeks])
