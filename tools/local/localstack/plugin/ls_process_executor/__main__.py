"""Runs LocalStack in host mode (python -m ls_process_executor), also on Python 3.11 and 3.12.

LocalStack 4.14 requires Python 3.13, where threading.Lock is a class: a signature in localstack/packages/api.py has
`Lock | None`, which fails in older versions. For that one import, Lock is a class here too.
"""

import os
import re
import sys
import threading


def pep695(text: str) -> str:
    """Translates class X[T](B), def f[T](a) and type X = Y (PEP 695) for Python 3.11."""
    names: dict[str, str] = {}

    def cls(m):
        bound = m["p"].strip()
        for p in bound.split(","):
            names[p.split(":")[0].strip()] = ""
        generic = "_lspe_t.Generic[%s]" % ", ".join(p.split(":")[0].strip() for p in bound.split(","))
        bases = (m["b"] or "").strip()
        if "[" in bases:  # a base has the type variables
            return f"{m['i']}class {m['n']}({bases}):"
        return f"{m['i']}class {m['n']}({bases + ', ' if bases else ''}{generic}):"

    def fun(m):
        for p in m["p"].split(","):
            names[p.split(":")[0].strip()] = ""
        return f"{m['i']}def {m['n']}("

    text = re.sub(r"^(?P<i>[ ]*)class (?P<n>\w+)\[(?P<p>[^\]]+)\](?:\((?P<b>[^)]*)\))?:", cls, text, flags=re.M)
    text = re.sub(r"^(?P<i>[ ]*)def (?P<n>\w+)\[(?P<p>[^\]]+)\]\(", fun, text, flags=re.M)
    text = re.sub(r"^type (\w+) = ", r"\1 = ", text, flags=re.M)
    head = "import typing as _lspe_t; " + "; ".join(f"{n} = _lspe_t.TypeVar('{n}')" for n in names) + "\n"
    futures = [m.end() for m in re.finditer(r"^from __future__ .*\n", text, flags=re.M)]
    at = futures[-1] if futures else 0
    if not at and (m := re.match(r'\s*(""\x22.*?""\x22)\n', text, flags=re.S)):
        at = m.end()
    return text[:at] + head + text[at:]


def compat():
    if sys.version_info >= (3, 13):
        return
    import warnings

    if not hasattr(warnings, "deprecated"):
        from typing_extensions import deprecated

        warnings.deprecated = deprecated
    if sys.version_info < (3, 12):
        import uuid
        from hashlib import sha1
        from importlib.machinery import SourceFileLoader

        uuid5 = uuid.uuid5  # KMS passes bytes as names, which 3.11 refuses
        uuid.uuid5 = lambda ns, name: (
            uuid.UUID(bytes=sha1(ns.bytes + name).digest()[:16], version=5) if isinstance(name, bytes) else uuid5(ns, name)
        )

        original = SourceFileLoader.source_to_code

        def source_to_code(self, data, path, *args, **kwargs):
            if "localstack" in str(path):
                raw = bytes(data)
                if re.search(rb"^[ ]*(?:class|def) \w+\[|^type \w+ = ", raw, flags=re.M):
                    data = pep695(raw.decode()).encode()
            return original(self, data, path, *args, **kwargs)

        SourceFileLoader.source_to_code = source_to_code
    lock = threading.Lock

    class Lock:
        def __new__(cls):
            return lock()

    threading.Lock = Lock
    try:
        import localstack.packages.api  # noqa: F401
    finally:
        threading.Lock = lock


def end_with_parent():
    """Ends this process with its parent, which holds the other end of stdin. stdin closes even if the parent is killed.

    No graceful shutdown is needed, since the emulator's data is discarded with it.
    """

    def watch():
        while os.read(0, 4096):
            pass
        import psutil

        for child in psutil.Process().children(recursive=True):  # DynamoDB Local, Lambda processes
            try:
                child.kill()
            except psutil.NoSuchProcess:
                pass
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="end-with-parent").start()


if __name__ == "__main__":
    end_with_parent()
    compat()
    from localstack.runtime.main import main

    main()
