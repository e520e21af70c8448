"""Airflow 3: an asset for each dataset of Searchmill, updated when weeks of it have changed.

Needs the Postgres provider and a connection `searchmill` whose login has searchmill_reader. The last cursor is kept in the Variable
`searchmill_cursor`. It is written when the assets were updated, so a task that dies tells of the same weeks once more.
"""

from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.sdk import Asset, AssetAlias, Metadata, Variable, dag, get_current_context, task

CHANGED_WEEKS = """
SELECT dataset, account_id, week, publication, cursor
  FROM search_reports.changed_weeks
 WHERE cursor > %(cursor)s
 ORDER BY cursor
"""

CURSOR = "searchmill_cursor"


def asset_of(dataset: str) -> Asset:
    return Asset(f"searchmill://warehouse/search/{dataset}")


@dag(schedule="*/10 * * * *", catchup=False, max_active_runs=1)
def searchmill_changed_weeks():
    @task(outlets=[AssetAlias("searchmill")])
    def look():
        after = int(Variable.get(CURSOR, default="0"))
        rows = PostgresHook("searchmill").get_records(CHANGED_WEEKS, parameters={"cursor": after})
        weeks: dict[str, list] = {}
        for dataset, account, week, publication, _ in rows:
            weeks.setdefault(dataset, []).append([account, str(week), publication])
        for dataset, changed in weeks.items():
            yield Metadata(asset_of(dataset), extra={"weeks": changed}, alias=AssetAlias("searchmill"))
        if rows:
            get_current_context()["ti"].xcom_push(key="cursor", value=str(rows[-1][-1]))

    @task
    def remember():
        """A task of its own, since assets are updated when the one before has succeeded."""
        cursor = get_current_context()["ti"].xcom_pull(task_ids="look", key="cursor")
        if cursor:
            Variable.set(CURSOR, cursor)

    look() >> remember()


@dag(schedule=[asset_of("keyword_rankings")], catchup=False, max_active_runs=1)
def replace_rankings():
    """What you do with it: the weeks of all updates that led to this run, to be replaced whole."""

    @task
    def replace():
        events = get_current_context()["triggering_asset_events"]
        for event in events[asset_of("keyword_rankings")]:
            for account, week, _publication in event.extra["weeks"]:
                print(f"replace account {account}, week {week}")

    replace()


searchmill_changed_weeks()
replace_rankings()
