"""A source of Airbyte's CDK: an incremental stream with a slice a week, its rows merged by a key."""
import sys

from airbyte_cdk.entrypoint import launch
from airbyte_cdk.sources import AbstractSource
from airbyte_cdk.sources.streams import IncrementalMixin, Stream

import service


class KeywordRankings(Stream, IncrementalMixin):
    name = "keyword_rankings"
    primary_key = "row_key"
    cursor_field = "time_period_start"
    state = {}

    def get_json_schema(self):
        return service.json_schema()

    def stream_slices(self, *, sync_mode, cursor_field=None, stream_state=None):
        done = (stream_state or {}).get("time_period_start", "")
        return [{"week": week} for week in service.weeks() if service.RELOADS or week > done]

    def read_records(self, sync_mode, cursor_field=None, stream_slice=None, stream_state=None):
        for page in service.pages(stream_slice["week"]):
            yield from page
        self.state = {"time_period_start": max(stream_slice["week"], self.state.get("time_period_start", ""))}


class Source(AbstractSource):
    def check_connection(self, logger, config):
        return True, None

    def streams(self, config):
        return [KeywordRankings()]

    def spec(self, logger):
        from airbyte_cdk.models import ConnectorSpecification

        return ConnectorSpecification(connectionSpecification={"type": "object", "properties": {}})


launch(Source(), sys.argv[1:])
