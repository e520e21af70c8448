"""Airflow 3: a DAG that replaces the weeks of Searchmill that have changed. Copy it for each consumer, under a name of its own.

Needs the Postgres provider and a connection `searchmill` with a login that `searchmill login` makes. Each consumer keeps how far it is in a Variable
of its own, which is written when all weeks of the run are replaced. So weeks of a run that failed come again in the next, a consumer that is
added later begins with all weeks, and so does every consumer after the ledger was restored. To begin anew, delete the Variable.
"""

from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.sdk import Asset, Variable, dag, task

# Fewer than Airflow's max_map_length.
CHANGED_WEEKS = """
SELECT dataset, account_id, week, publication, cursor, ledger
  FROM search_reports.changed_weeks
 WHERE cursor > CASE WHEN ledger = %(ledger)s THEN %(cursor)s ELSE 0 END
 ORDER BY cursor
 LIMIT 500
"""

CONSUMER = "replace_searchmill_weeks"
SEEN = f"searchmill_cursor_of_{CONSUMER}"
REPLACED = Asset(f"searchmill://{CONSUMER}")


@dag(dag_id=CONSUMER, schedule="*/10 * * * *", catchup=False, max_active_runs=1, is_paused_upon_creation=False)
def replace_searchmill_weeks():
    @task
    def look() -> list[dict]:
        seen = Variable.get(SEEN, default={"ledger": "", "cursor": 0}, deserialize_json=True)
        rows = PostgresHook("searchmill").get_records(CHANGED_WEEKS, parameters=seen)
        return [
            {"dataset": dataset, "account": account, "week": str(week), "removed": publication is None, "cursor": cursor, "ledger": ledger}
            for dataset, account, week, publication, cursor, ledger in rows
        ]

    @task(retries=3, outlets=[REPLACED])
    def replace(week: dict) -> None:
        """What you do with it: replace the week of the account whole. A removed week has no rows any more. What follows takes the asset."""
        print(f"replace {week['dataset']}, account {week['account']}, week {week['week']}")

    @task
    def remember(weeks: list[dict]) -> None:
        """Only when every week was replaced."""
        Variable.set(SEEN, {name: weeks[-1][name] for name in ("ledger", "cursor")}, serialize_json=True)

    weeks = look()
    replace.expand(week=weeks) >> remember(weeks)


replace_searchmill_weeks()
