# SPDX-License-Identifier: Apache-2.0
"""The profiles of a Spark job, where Spark keeps them, to a site of flame graphs.

    spark-submit [--files flame-fold,flame-merge,flame-graph] flame_spark.py \\
        -o hdfs:///site [--key app,stage] hdfs:///profiles... \\
        [-- --root TaskRunner.run ...]

Spark lists and reads the files, so Kerberos and object stores are its own
business.  Each partition is folded by one flame-fold, which merges what it
reads; parts are added up by key and stack, and each page is drawn where its
sums are.  SITE gets NAME.html and NAME.folded.zst for each page, index.html,
index.json and manifest.json, the account of the inputs.

Inputs are folders, files and globs of any file system that Spark knows, and
URLs of webhdfs, http and https, which flame-fold reads itself.  The tools are
those of --files, of --tools DIR on each node, or of PATH there.  What comes
after -- is for flame-fold.  Spark 3.5 and 4, no other Python package.
"""
import argparse
import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import zlib

URLS = ("webhdfs://", "swebhdfs://", "http://", "https://")
HEADER = b"# libflame folded 1;"
STYLE = """
body { font: 14px/1.5 sans-serif; margin: 2em auto; max-width: 70em;
 padding: 0 1em; color-scheme: light dark }
table { border-collapse: collapse; width: 100% }
th, td { padding: .3em .8em; border-bottom: 1px solid #8886; text-align: left }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
"""


# In the executors ---------------------------------------------------------

def tool(name, folder):
    """The program: shipped by --files, in a folder, or in PATH."""
    from pyspark import SparkFiles
    shipped = SparkFiles.get(name)
    if folder:
        return os.path.join(folder, name)
    if os.path.exists(shipped):
        os.chmod(shipped, 0o755)
        return shipped
    return shutil.which(name) or name


def environment():
    """With the library, where it was shipped by --files with the tools."""
    from pyspark import SparkFiles
    own = os.environ.get("LD_LIBRARY_PATH")
    folder = SparkFiles.getRootDirectory()
    return dict(os.environ, LD_LIBRARY_PATH=(
        folder + os.pathsep + own if own else folder))


def run(args, **more):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, env=environment(), **more)
    if done.returncode:
        raise RuntimeError("%s: exit status %d: %s" % (
            shlex.join(args), done.returncode,
            done.stderr.decode("utf-8", "replace")[-2000:]))
    return done


def write_file(folder, path, content):
    """A file below the folder whose path ends as in the file system: paths
        name the application, the executor and the stage."""
    name = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:/*[^/]*/?" if "://" in path
                  else r"^[A-Za-z][A-Za-z0-9+.-]*:", "", path).lstrip("/")
    name = "/".join(part for part in name.split("/") if part not in ("", ".."))
    to = os.path.join(folder, name)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(to, "wb") as out:
        out.write(content)
    return name


def fold(names, options, folder, read):
    """Pairs of ((columns, rest), count), and the account as columns None."""
    args = [tool("flame-fold", options.tools), "-j", "1", "--partial", "ok",
            "--report", "json", "--paths-from", "-", "--key",
            options.key + ",metric"] + options.fold
    done = run(args, cwd=folder, input=b"".join(
        name.encode("utf-8", "surrogateescape") + b"\0" for name in names))
    account = {"messages": [], "read": read}
    for line in done.stderr.decode("utf-8", "replace").splitlines():
        if line.startswith("{"):
            account.update(json.loads(line))
        else:
            account["messages"].append(line)
    yield (b"", json.dumps(account).encode()), 0
    columns = 0
    for line in done.stdout.splitlines():
        if line.startswith(HEADER):
            columns = line.count(b",")
            yield (b"", line), 0
            continue
        *keys, rest = line.split(b"\t", columns)
        rest, count = rest.rsplit(b"\t", 1)
        yield (b"\t".join(keys), rest), int(count)


def fold_rows(options):
    def each(rows):
        with tempfile.TemporaryDirectory(prefix="flame-") as folder:
            names, read = [], []
            for row in rows:
                names.append(write_file(folder, row.path, row.content))
                read.append(row.path)
            yield from fold(names, options, folder, read)
    return each


def fold_urls(options):
    return lambda urls: fold(list(urls), options, None, [])


def title_of(names, columns):
    parts = []
    for name, value in zip(names, columns):
        if value != "[no %s]" % name:
            parts.append(value if name == "app" else "%s %s" % (name, value))
    return " ".join(parts) or "all"


def draw_page(columns, pairs, header, options, folder):
    names = re.search(rb"key=(.*)", header).group(1).decode().split(",")[:-1]
    key = columns.decode("utf-8", "replace").split("\t")
    title = title_of(names, key)
    folded = os.path.join(folder, "page.folded.zst")
    page = os.path.join(folder, "page.html")
    sums = {}
    with subprocess.Popen([tool("flame-merge", options.tools), "--stream",
                           "--key", "-o", folded], stdin=subprocess.PIPE,
                          env=environment()) as it:
        it.stdin.write(header + b"\n")
        for rest, count in pairs:
            metric = rest.split(b"\t", 1)[0].decode()
            sums[metric] = sums.get(metric, 0) + count
            it.stdin.write(b"%s\t%s\t%d\n" % (columns, rest, count))
    if it.returncode:
        raise RuntimeError("flame-merge: exit status %d" % it.returncode)
    run([tool("flame-graph", options.tools), "-q", "-j", "1", "-f", "html",
         "--events", "all", "--title", title, "-o", page] +
        shlex.split(options.draw) + [folded])
    entry = {"title": title, "key": dict(zip(names, key)), "metrics": sums}
    with open(page, "rb") as drawn, open(folded, "rb") as stacks:
        return entry, drawn.read(), stacks.read()


def draw_pages(options, header):
    """Of pairs sorted by columns and rest: (entry, page, folded stacks)."""
    def each(pairs):
        with tempfile.TemporaryDirectory(prefix="flame-") as folder:
            pair = next(pairs, None)
            while pair is not None:
                columns = pair[0][0]

                def of_page():
                    nonlocal pair
                    while pair is not None and pair[0][0] == columns:
                        yield pair[0][1], pair[1]
                        pair = next(pairs, None)

                yield draw_page(columns, of_page(), header, options, folder)
    return each


# In the driver ------------------------------------------------------------

class Site:
    """A folder of any file system of Hadoop's."""

    def __init__(self, sc, path):
        self.path = sc._jvm.org.apache.hadoop.fs.Path
        self.folder = self.path(path)
        self.fs = self.folder.getFileSystem(sc._jsc.hadoopConfiguration())
        self.fs.setWriteChecksum(False)
        self.fs.mkdirs(self.folder)

    def put(self, name, content):
        out = self.fs.create(self.path(self.folder, name), True)
        try:
            out.write(bytearray(content))
        finally:
            out.close()


def safe_name(title, used):
    base = re.sub(r"[^A-Za-z0-9._@+-]", "_", title.replace(" ", "-"))[:120]
    base = name = re.sub(r"^[.-]", "_", base)
    n = 1
    while name.lower() in used:
        n += 1
        name = "%s-%d" % (base, n)
    used.add(name.lower())
    return name


def natural(entry):
    return [int(it) if it.isdigit() else it
            for it in re.split(r"(\d+)", entry["title"])]


def index_page(entries, manifest):
    metrics = sorted({m for entry in entries for m in entry["metrics"]})
    rows = "".join("<tr><td><a href=\"%s\">%s</a></td>%s</tr>\n" % (
        html.escape(entry["page"]), html.escape(entry["title"]),
        "".join("<td class=n>%s</td>" % entry["metrics"].get(m, "")
                for m in metrics)) for entry in entries)
    account = ", ".join("%s %s" % (manifest[it], it) for it in (
        "files", "bytes", "damaged", "empty", "missing", "lost"))
    return ("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>"
            "<title>Flame graphs</title><style>%s</style>\n"
            "<h1>Flame graphs</h1>\n<table><tr><th>page%s</tr>\n%s</table>\n"
            "<p>%s (<a href=\"manifest.json\">manifest.json</a>)\n" % (
                STYLE, "".join("<th class=n>" + html.escape(m)
                               for m in metrics), rows, account)).encode()


def parse(argv):
    rest = []
    if "--" in argv:
        rest = argv[argv.index("--") + 1:]
        argv = argv[:argv.index("--")]
    parser = argparse.ArgumentParser(
        prog="flame_spark.py", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, metavar="SITE")
    parser.add_argument("--key", default="app,stage",
                        help="a page for each value (app,stage)")
    parser.add_argument("--paths-from", metavar="FILE",
                        help="a list of more inputs, in a file of the driver")
    parser.add_argument("--glob", metavar="GLOB",
                        help="only files of these names, as *.jfr*")
    parser.add_argument("--pages", type=int, default=0, metavar="N",
                        help="draw pages in N tasks (as Spark's parallelism)")
    parser.add_argument("--tools", metavar="DIR",
                        help="where the tools are on each node")
    parser.add_argument("--draw", default="", metavar="OPTIONS",
                        help="for flame-graph, as one word")
    parser.add_argument("inputs", nargs="*", metavar="INPUT")
    options = parser.parse_args(argv)
    options.fold = rest
    if options.paths_from:
        with open(options.paths_from) as lines:
            options.inputs += [line.rstrip("\r\n") for line in lines
                               if line.strip()]
    if not options.inputs:
        parser.error("no input: name folders, files or URLs")
    return options


def read_parts(spark, options):
    """Folded parts as one RDD, and the files that Spark has listed."""
    sc = spark.sparkContext
    urls = [it for it in options.inputs if it.startswith(URLS)]
    paths = [it for it in options.inputs if not it.startswith(URLS)]
    parts, listed = [], []
    if paths:
        spark.conf.set("spark.sql.files.ignoreMissingFiles", "true")
        reader = spark.read.format("binaryFile").option(
            "recursiveFileLookup", "true")
        if options.glob:
            reader = reader.option("pathGlobFilter", options.glob)
        rows = reader.load(paths).select("path", "content")
        listed += rows.inputFiles()
        parts.append(rows.rdd.mapPartitions(fold_rows(options)))
    if urls:
        parts.append(sc.parallelize(urls, min(len(urls), max(
            sc.defaultParallelism, len(urls) // 50))).mapPartitions(
                fold_urls(options)))
    return sc.union(parts), listed


def plain_uri(uri):
    return re.sub("^file:/+", "file:/", uri)


def add_unread(sc, manifest, listed, read):
    """Spark leaves out files that are empty, or have gone since."""
    read = {plain_uri(path) for path in read}
    for uri in listed:
        path = urllib.parse.unquote(plain_uri(uri))
        if path in read:
            continue
        at = sc._jvm.org.apache.hadoop.fs.Path(path)
        there = at.getFileSystem(sc._jsc.hadoopConfiguration()).exists(at)
        manifest["files"] += 1
        manifest["empty" if there else "missing"] += 1
        manifest["messages"].append(path + (
            ": the file is empty" if there else
            ": No such file or directory"))


def add_up(sc, records, listed):
    """The header of all parts, and the account of all files."""
    header, manifest = None, {it: 0 for it in (
        "files", "bytes", "samples", "damaged", "empty", "missing", "lost")}
    read, messages = [], []
    for record in records:
        if record.startswith(HEADER):
            if header and record != header:
                sys.exit("flame_spark.py: parts differ: %r and %r" % (
                    header, record))
            header = record
            continue
        account = json.loads(record)
        messages += account.pop("messages")
        read += account.pop("read")
        for name, n in account.items():
            manifest[name] += n
    manifest["messages"] = messages
    add_unread(sc, manifest, listed, read)
    messages.sort()
    return header, manifest


def main(argv):
    from pyspark.sql import SparkSession
    from pyspark import StorageLevel
    options = parse(argv)
    spark = SparkSession.builder.appName("flame graphs").getOrCreate()
    sc = spark.sparkContext
    parts, listed = read_parts(spark, options)
    # Each file is read once.
    parts = parts.persist(StorageLevel.DISK_ONLY)
    header, manifest = add_up(
        sc, parts.filter(lambda it: not it[0][0] and not it[1])
        .map(lambda it: it[0][1]).collect(), listed)
    stacks = parts.filter(lambda it: it[1]).repartitionAndSortWithinPartitions(
        options.pages or sc.defaultParallelism,
        lambda key: zlib.crc32(key[0]))
    pages = stacks.mapPartitions(draw_pages(options, header)).persist(
        StorageLevel.DISK_ONLY)
    pages.count()  # all at once; they come here one by one
    site, entries, used = Site(sc, options.output), [], {"index", "manifest"}
    for entry, page, folded in pages.toLocalIterator():
        name = safe_name(entry["title"], used)
        entry.update(page=name + ".html", folded=name + ".folded.zst")
        site.put(entry["page"], page)
        site.put(entry["folded"], folded)
        entries.append(entry)
    entries.sort(key=natural)
    site.put("index.json", json.dumps(entries, indent=1).encode())
    site.put("manifest.json", json.dumps(manifest, indent=1).encode())
    site.put("index.html", index_page(entries, manifest))
    print("flame_spark.py: %d pages of %d files in %s" % (
        len(entries), manifest["files"], options.output), file=sys.stderr)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
