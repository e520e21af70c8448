"""What a person does in Superset by docs/bi.md, through its own API: a database, a dataset, its metric, a chart, and the data of it; then a chart of points.
Its argument: the account. Standard input has the address of the database. Prints the rows of both charts."""

import json
import sys

from superset.app import create_app

ACCOUNT = int(sys.argv[1])
METRIC = "100.0 * sum(part) / nullif(sum(whole), 0)"
WEEK = {"timeGrain": "P1D", "columnType": "BASE_AXIS", "sqlExpression": "week", "label": "week", "expressionType": "SQL"}


def chosen(**columns: str | int) -> list[dict]:
    return [{"col": name, "op": "==", "val": value} for name, value in columns.items()]


def main() -> None:
    app = create_app()
    client = app.test_client()
    headers: dict[str, str] = {}

    def call(method: str, path: str, body: dict) -> dict:
        answer = client.open(f"/api/v1{path}", method=method, json=body, headers=headers)
        if answer.status_code >= 300:
            raise RuntimeError(f"{path}: {answer.status_code} {answer.get_data(as_text=True)}")
        return answer.get_json()

    def data_of(dataset: int, columns: list, metrics: list, filters: list[dict]) -> list[dict]:
        query = {"columns": columns, "metrics": metrics, "filters": filters, "row_limit": 10000}
        asked = {"datasource": {"id": dataset, "type": "table"}, "result_format": "json", "result_type": "full", "queries": [query]}
        return call("POST", "/chart/data", asked)["result"][0]["data"]

    def dataset_of(table: str) -> int:
        return call("POST", "/dataset/", {"database": database, "schema": "search_reports", "table_name": table})["id"]

    login = {"username": "admin", "password": "admin", "provider": "db", "refresh": False}
    headers["authorization"] = f"Bearer {call('POST', '/security/login', login)['access_token']}"
    database = call("POST", "/database/", {"database_name": "warehouse", "sqlalchemy_uri": sys.stdin.read()})["id"]

    rates = dataset_of("measure_mention_rate")
    call("PUT", f"/dataset/{rates}", {"metrics": [{"metric_name": "Mention rate", "expression": METRIC}]})
    rate = data_of(rates, [WEEK, "assistant"], ["Mention rate"], chosen(account_id=ACCOUNT, prompt_type="unbranded"))

    of_points = {"expressionType": "SQL", "sqlExpression": "MAX(value)", "label": "value"}
    chart = chosen(account_id=ACCOUNT, measure="mention_rate", grouped_by="assistant")
    points = data_of(dataset_of("points"), [WEEK, "line"], [of_points], chart)
    print(json.dumps({"rate": [[row["week"], row["assistant"], row["Mention rate"]] for row in rate],
                      "points": [[row["week"], row["line"], row["value"]] for row in points]}))


main()
