"""What a consumer does in tests of recipes: it replaces the week in its copy and says so, or fails while it is told to."""

import os

import psycopg


def replace_week(consumer: str, dataset: str, account: int, week: str, removed: bool) -> None:
    assert dataset == "keyword_rankings", dataset
    with psycopg.connect(os.environ["COPY_DATABASE_URL"]) as connection:
        told = connection.execute("SELECT FROM copy.failing WHERE consumer = %s AND week = %s", (consumer, week)).fetchone()
        if told is not None:
            raise RuntimeError("the consumer fails")
        of_week = {"consumer": consumer, "account": account, "week": week}
        connection.execute("DELETE FROM copy.rows WHERE (consumer, account_id, week) = (%(consumer)s, %(account)s, %(week)s)", of_week)
        copied = connection.execute(
            """
            INSERT INTO copy.rows SELECT %(consumer)s, account_id, %(week)s::text, query FROM search.keyword_rankings
             WHERE account_id = %(account)s AND time_period_start >= %(week)s::text::date AND time_period_start < %(week)s::text::date + 7
            """,
            of_week,
        )
        assert not (removed and copied.rowcount), "a removed week has rows"
        connection.execute("INSERT INTO copy.replaced VALUES (%(consumer)s, %(account)s, %(week)s)", of_week)
