# SPDX-License-Identifier: Apache-2.0
"""The tools, where the folder of scripts is not on PATH:

    python -m flame app.jfr page.html           # jfr2flame
    python -m flame flame-top app.jfr           # any tool
    python -m flame mcp FOLDER...               # for assistants: assistant.py
    python -m flame                             # which there are
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from typing import List, Optional

TOOLS = ("flame-batch", "flame-diff", "flame-filter", "flame-fold",
         "flame-graph", "flame-merge", "flame-record", "flame-top",
         "jfr2flame")


def _folders() -> List[str]:
    """Where pip puts scripts: beside the package's record, and by scheme."""
    found = []
    try:
        from importlib import metadata
        for file in metadata.files("libflamegraph") or ():
            if file.name == "jfr2flame":
                found.append(os.path.dirname(str(file.locate())))
    except ImportError:     # Python 3.7, or copied and not installed
        pass
    found.append(os.path.dirname(sys.executable))
    found.append(sysconfig.get_path("scripts"))
    return found


def find(tool: str) -> Optional[str]:
    """The path of a tool."""
    for folder in _folders():
        path = shutil.which(os.path.join(folder, tool))
        if path:
            return path
    return shutil.which(tool)


def main() -> int:
    arguments = sys.argv[1:]
    if not arguments:
        print(__doc__.rstrip() + "\n")
        for tool in TOOLS:
            print("%-14s%s" % (tool, find(tool) or "is not there"))
        return 2
    if arguments[0] == "mcp":
        from . import assistant
        return assistant.main(arguments[1:])
    if "flame-" + arguments[0] in TOOLS:
        arguments[0] = "flame-" + arguments[0]
    tool = arguments.pop(0) if arguments[0] in TOOLS else "jfr2flame"
    path = find(tool)
    if not path:
        print("flame: %s is not found: the wheel for this system brings it, "
              "or put it on PATH" % tool, file=sys.stderr)
        return 2
    sys.stdout.flush()
    os.execv(path, [tool] + arguments)


if __name__ == "__main__":
    sys.exit(main())
