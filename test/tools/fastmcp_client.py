"""fastmcp asks for tools, boards and a panel, and makes a mistake. Its arguments: the command of the server, which gets the address of the database from
standard input; or "http" and the address of a server, with its password from there."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


def server_of(program: str, *args: str) -> StdioTransport | StreamableHttpTransport:
    secret = sys.stdin.read()
    if program == "http":
        return StreamableHttpTransport(args[0], auth=secret)
    return StdioTransport(command=program, args=list(args), env={"DATABASE_URL": secret})


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
