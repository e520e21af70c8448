"""A plain script for cron: replaces the weeks of Searchmill that have changed, one after the other. Copy it for each consumer, with a file of its own.

    */10 * * * *  flock -n /var/lib/shop/weeks.lock  python3 cron_searchmill.py /var/lib/shop/weeks.json

Needs psycopg and the variable SEARCHMILL_DATABASE_URL of a login that `searchmill login` makes. How far it is stands in the file, which is replaced when a week
is. So a run that fails or is killed goes on with that week, a consumer that is added later begins with all weeks, and so does every one after the ledger
was restored. To begin anew, delete the file. It ends with a status other than 0 when a week could not be replaced.
"""

import json
import os
import sys
from pathlib import Path

import psycopg

CHANGED_WEEKS = """
SELECT dataset, account_id, week, publication, cursor, ledger
  FROM search_reports.changed_weeks
 WHERE cursor > CASE WHEN ledger = %(ledger)s THEN %(cursor)s ELSE 0 END
 ORDER BY cursor
"""


def replace(dataset: str, account: int, week: str, removed: bool) -> None:
    """What you do with it: replace the week of the account whole. A removed week has no rows any more."""
    print(f"replace {dataset}, account {account}, week {week}")


def main(file: Path) -> None:
    seen = json.loads(file.read_text()) if file.exists() else {"ledger": "", "cursor": 0}
    with psycopg.connect(os.environ["SEARCHMILL_DATABASE_URL"]) as connection:
        weeks = connection.execute(CHANGED_WEEKS, seen).fetchall()
    for dataset, account, week, publication, cursor, ledger in weeks:
        replace(dataset, account, str(week), publication is None)
        # Whole or not at all, also when it is killed here.
        unfinished = file.with_suffix(".unfinished")
        unfinished.write_text(json.dumps({"ledger": ledger, "cursor": cursor}))
        unfinished.replace(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
