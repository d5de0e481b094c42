"""A server for the tests of the gateway, made with the official SDK: `stdio`, or `http PORT`."""

from __future__ import annotations

import sys
import warnings

import anyio
from mcp import MCPDeprecationWarning
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import SamplingMessage, TextContent, ToolAnnotations
from pydantic import BaseModel

warnings.simplefilter("ignore", MCPDeprecationWarning)
server = MCPServer("notes")
COUNTS = {"cancelled": 0, "ran": 0}


@server.tool(annotations=ToolAnnotations(read_only_hint=True), meta={"x/y": 1})
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def run_command(command: str) -> str:
    """Run a command; here nothing is ever run."""
    COUNTS["ran"] += 1
    return f"ran {command}"


@server.tool()
async def slow(n: int, ctx: Context) -> str:
    """Take a while, and tell how far it is."""
    try:
        for step in range(n):
            await ctx.report_progress(step, n, f"step {step}")
            await anyio.sleep(0.02)
    except anyio.get_cancelled_exc_class():
        COUNTS["cancelled"] += 1
        raise
    return "done"


@server.tool()
def counts() -> dict[str, int]:
    """Say what has happened."""
    return dict(COUNTS)


class Yes(BaseModel):
    ok: bool


@server.tool()
async def ask(ctx: Context) -> str:
    """Ask the person something."""
    answer = await ctx.elicit("sure?", Yes)
    return f"{answer.action} {getattr(answer, 'data', None)}"


@server.tool()
async def sample(ctx: Context) -> str:
    """Let the client's model say something."""
    said = [SamplingMessage(role="user", content=TextContent(type="text", text="hi"))]
    answer = await ctx.session.create_message(said, max_tokens=5, related_request_id=ctx.request_id)
    return str(getattr(answer.content, "text", answer.content))


@server.tool()
async def log(ctx: Context) -> str:
    """Log something."""
    await ctx.info("hello")
    return "ok"


@server.tool()
async def change(ctx: Context) -> str:
    """Say that the tools have changed."""
    await ctx.session.send_tool_list_changed()
    return "ok"


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("no")


@server.resource("note://one")
def one() -> str:
    return "the first note"


@server.prompt()
def greet(who: str) -> str:
    return f"hello {who}"


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
