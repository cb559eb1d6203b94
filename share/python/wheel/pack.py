# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of an installation: pack.py INSTALLED SOURCES TAG FOLDER.

The tools go where pip puts scripts, the library beside the module.  A tool
looks for it in the places that pip has for modules, from the tool's own.  The
same installation makes the same bytes: times are SOURCE_DATE_EPOCH's, or those
of the oldest that zip can store.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

NAME = "libflamegraph"
# Of the library, from a tool: in the unpacked wheel, in a folder of pip
# --target, and in those of each Python.
PLACES = ["$ORIGIN/../../flame", "$ORIGIN/../flame"] + [
    "$ORIGIN/../%s/python3.%d/%s/flame" % (lib, minor, packages)
    for minor in range(7, 21) for lib, packages in (
        ("lib", "site-packages"), ("lib64", "site-packages"),
        ("lib", "dist-packages"))]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def version_of(sources):
    return re.search(r"^AC_INIT\(\[libflame\], \[(.*)\]\)",
                     read(sources, "configure.ac"), re.M).group(1)


def metadata(sources, version):
    readme = read(sources, "share", "python", "README")
    return ("Metadata-Version: 2.1\nName: %s\nVersion: %s\n"
            "Summary: Flame graphs of any profile: tools, library, module\n"
            "License: Apache-2.0\nRequires-Python: >=3.7\n"
            "Classifier: Operating System :: POSIX :: Linux\n"
            "Classifier: Topic :: Software Development :: Debuggers\n"
            "Classifier: Typing :: Typed\n"
            "Provides-Extra: mcp\n"
            "Requires-Dist: mcp>=2,<3; extra == 'mcp'\n"
            "Provides-Extra: pandas\n"
            "Requires-Dist: pandas; extra == 'pandas'\n"
            "Provides-Extra: polars\n"
            "Requires-Dist: polars; extra == 'polars'\n"
            "Description-Content-Type: text/plain\n\n%s" %
            (NAME, version, readme))


def patched(path, folder, *options):
    """A copy of a program or library, changed by patchelf."""
    copy = os.path.join(folder, os.path.basename(path))
    shutil.copy(path, copy)
    subprocess.run(["patchelf", *options, copy], check=True)
    with open(copy, "rb") as file:
        return file.read()


def members(installed, sources, version, folder):
    """(name, bytes, executable) of all that the wheel has, but its record."""
    data = "%s-%s.data" % (NAME, version)
    module = os.path.join(sources, "share", "python", "flame")
    for name in sorted(os.listdir(module)):
        if name.endswith((".py", ".typed")):
            with open(os.path.join(module, name), "rb") as file:
                yield "flame/" + name, file.read(), False
    yield "flame/libflamegraph.so.0", patched(
        os.path.join(installed, "lib", "libflamegraph.so.0"), folder,
        "--remove-rpath"), True
    for name in sorted(os.listdir(os.path.join(installed, "bin"))):
        yield data + "/scripts/" + name, patched(
            os.path.join(installed, "bin", name), folder,
            "--set-rpath", ":".join(PLACES)), True
    share = os.path.join(installed, "share")
    for where, folders, files in os.walk(share):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(where, name)
            inside = os.path.relpath(path, share)
            if not inside.startswith("libflame/python/"):
                with open(path, "rb") as file:
                    yield data + "/data/share/" + inside, file.read(), \
                        os.access(path, os.X_OK)
    for name in ("README", "ChangeLog", "COPYING"):
        yield "%s/data/share/doc/libflame/%s" % (data, name), \
            read(sources, name).encode(), False


def info(sources, version, tag):
    folder = "%s-%s.dist-info/" % (NAME, version)
    yield folder + "METADATA", metadata(sources, version).encode(), False
    yield folder + "WHEEL", (
        "Wheel-Version: 1.0\nGenerator: libflame\nRoot-Is-Purelib: false\n" +
        "".join("Tag: py3-none-%s\n" % one for one in tag.split("."))
        ).encode(), False
    yield folder + "entry_points.txt", \
        b"[console_scripts]\nflame = flame.__main__:main\n", False
    yield folder + "top_level.txt", b"flame\n", False
    yield folder + "licenses/COPYING", \
        read(sources, "COPYING").encode(), False


def main(installed, sources, tag, to):
    version = version_of(sources)
    path = os.path.join(to, "%s-%s-py3-none-%s.whl" % (NAME, version, tag))
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)),
                           315532800))[:6]
    record = []
    with tempfile.TemporaryDirectory() as folder, \
            zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED) as wheel:

        def put(name, data, executable):
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            wheel.writestr(entry, data, compresslevel=9)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record.append("%s,sha256=%s,%d" % (
                name, digest.rstrip(b"=").decode(), len(data)))

        for one in members(installed, sources, version, folder):
            put(*one)
        for one in info(sources, version, tag):
            put(*one)
        name = "%s-%s.dist-info/RECORD" % (NAME, version)
        put(name, ("\n".join(record) + "\n%s,,\n" % name).encode(), False)
    os.replace(path + ".new", path)
    print(path)


main(*sys.argv[1:])
