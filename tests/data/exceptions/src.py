import logging, traceback
logging.basicConfig(format='%(asctime)s %(levelname)s %(name)s: %(message)s')
def leaf(n):
    if n: raise ValueError("x\ny")
    return {}[n]
def mid(n):
    try:
        leaf(n)
    except KeyError as e:
        raise RuntimeError("k") from e
def rec(n):
    if n == 0: leaf(1)
    rec(n-1)
for i in range(3):
    try: mid(i)
    except Exception: logging.getLogger("app.job").exception("failed %d", i)
try: rec(30)
except Exception: traceback.print_exc()
mid(1)
