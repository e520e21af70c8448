"""fastmcp asks for tools, boards and a panel, and makes a mistake. Its arguments: the command of the server."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


def server_of(program: str, *args: str) -> StdioTransport:
    return StdioTransport(command=program, args=list(args), env={"DATABASE_URL": sys.stdin.read()})


async def main() -> None:
    async with Client(server_of(*sys.argv[1:])) as client:
        tools = await client.list_tools()
        boards = await client.call_tool("list_boards", {})
        panel = await client.call_tool("run_panel", {"board": "rankings", "panel": "average-place", "variables": {"weeks": 3}})
        mistake = await client.call_tool("list_boards", {"board": "ranking"}, raise_on_error=False)
        resources = await client.list_resources()
        print(json.dumps({
            "tools": sorted(tool.name for tool in tools),
            "resources": [str(resource.uri) for resource in resources],
            "boards": boards.content[0].text,
            "panel": panel.content[0].text,
            "mistake": [mistake.is_error, mistake.content[0].text],
        }))


asyncio.run(main())
