# SPDX-License-Identifier: Apache-2.0
"""A client of flame mcp, by the SDK's own over stdio."""

import json
import os
import sys

from mcp import Client, StdioServerParameters


def connect(*arguments):
    return Client(StdioServerParameters(
        command=sys.executable, args=["-m", "flame", "mcp", *arguments],
        env=dict(os.environ)))


async def ask(client, tool, **arguments):
    """The text of an answer, and whether it is an error."""
    result = await client.call_tool(tool, arguments)
    return "".join(one.text for one in result.content), result.is_error


async def answer(client, tool, **arguments):
    text, failed = await ask(client, tool, **arguments)
    if failed:
        raise ValueError(text)
    if len(text) > arguments.get("budget", 8192):
        raise ValueError("%d characters" % len(text))
    return json.loads(text)


def report(name, wrong):
    """A line of name, tab, and what is wrong."""
    print("%s\t%s" % (name, " ".join(str(wrong or "").split())[:300]))
