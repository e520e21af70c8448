"""The official SDK for Python asks for tools, boards and a panel, and makes a mistake. Its arguments: the command of the server, which gets the address
of the database from standard input; or "http" and the address of a server, with its password from there."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def server_of(program: str, *args: str):
    secret = sys.stdin.read()
    if program == "http":
        return streamable_http_client(args[0], http_client=create_mcp_http_client(headers={"authorization": f"Bearer {secret}"}))
    return StdioServerParameters(command=program, args=list(args), env={"DATABASE_URL": secret})


async def main() -> None:
    async with Client(server_of(*sys.argv[1:])) as client:
        tools = await client.list_tools()
        boards = await client.call_tool("list_boards", {})
        panel = await client.call_tool("run_panel", {"board": "rankings", "panel": "average-place", "variables": {"weeks": 3}})
        mistake = await client.call_tool("list_boards", {"board": "ranking"})
        resources = await client.list_resources()
        print(json.dumps({
            "tools": sorted(tool.name for tool in tools.tools),
            "resources": [str(resource.uri) for resource in resources.resources],
            "boards": boards.content[0].text,
            "panel": panel.content[0].text,
            "mistake": [mistake.is_error, mistake.content[0].text],
        }))


asyncio.run(main())
