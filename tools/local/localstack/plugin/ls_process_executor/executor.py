"""Lambda execution environments as plain subprocesses.

One environment = one process (started on the first invoke that needs it, kept warm by LocalStack's own
assignment service, so concurrency, keep-alive and reserved concurrency stay LocalStack's). The process and
LocalStack communicate over one socket pair (a JSON line in, a JSON line out); its stdout and stderr are the function's
log.
"""

import atexit
import json
import logging
import os
import selectors
import shutil
import signal
import socket
import subprocess
import threading
import time
from datetime import datetime, timezone
from pathlib import Path

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import NAMESPACE
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

LOG = logging.getLogger(__name__)
HERE = Path(__file__).parent
MAX_RESPONSE = int(getattr(config, "LAMBDA_LIMITS_MAX_FUNCTION_PAYLOAD_SIZE_BYTES", 0) or 6_291_556)
INIT_TIMEOUT = float(os.environ.get("LSPE_INIT_TIMEOUT") or 10)
PASS_ENV = ("PATH", "HOME", "TMPDIR", "LANG", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NODE_COMPILE_CACHE", "NODE_NO_WARNINGS", "LSPE_ENDPOINT_PROXY")
_LIVE: set["ProcessRuntimeExecutor"] = set()


@atexit.register
def _kill_all():
    for e in list(_LIVE):
        e._kill()


class ProcessRuntimeExecutor(RuntimeExecutor):
    def __init__(self, id: str, function_version: FunctionVersion) -> None:
        super().__init__(id=id, function_version=function_version)
        self.proc: subprocess.Popen | None = None
        self.sock: socket.socket | None = None
        self.sel: selectors.BaseSelector | None = None
        self.env: dict[str, str] = {}
        self.logs = bytearray()
        self.buf = bytearray()
        self.lock = threading.Lock()
        self.init_error: dict | None = None
        self.init_ms = 0.0
        self.stopped = False

    # -- addresses (LocalStack asks for them to fill AWS_ENDPOINT_URL and friends)
    def get_address(self) -> str:
        return "127.0.0.1"

    def get_endpoint_from_executor(self) -> str:
        return config.HOSTNAME_FROM_LAMBDA or "127.0.0.1"

    def get_runtime_endpoint(self) -> str:
        return f"http://127.0.0.1:{config.GATEWAY_LISTEN[0].port}{NAMESPACE}/{self.id}"

    @classmethod
    def validate_environment(cls) -> bool:
        return bool(shutil.which(os.environ.get("LSPE_NODE") or "node"))

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        code = function_version.config.code
        if not code:
            return
        code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        pass

    # -- life of the process
    def start(self, env_vars: dict[str, str]) -> None:
        self.env = {k: str(v) for k, v in env_vars.items()}
        self._spawn()

    def _command(self) -> list[str]:
        runtime = self.function_version.config.runtime or ""
        if runtime.startswith("nodejs"):
            mb = int(self.function_version.config.memory_size)
            return [
                os.environ.get("LSPE_NODE") or "node",
                "--enable-source-maps" if "enable-source-maps" in self.env.get("NODE_OPTIONS", "") else "--no-deprecation",
                f"--max-old-space-size={max(96, int(mb * 0.9))}",
                str(HERE / "runtime_node.mjs"),
            ]
        raise NotImplementedError(f"the process executor runs nodejs functions, not {runtime}")

    def _spawn(self) -> None:
        task_root = str(self.function_version.config.code.get_unzipped_code_location())
        ours, theirs = socket.socketpair()
        env = {k: os.environ[k] for k in PASS_ENV if k in os.environ}
        env |= self.env
        runtime = self.function_version.config.runtime
        env |= {
            "LAMBDA_TASK_ROOT": task_root,
            "AWS_EXECUTION_ENV": f"AWS_Lambda_{runtime}",
            "TZ": self.env.get("TZ", ":UTC").lstrip(":"),
            "LSPE_FD": str(theirs.fileno()),
        }
        env.setdefault("LANG", "en_US.UTF-8")
        t = time.perf_counter()
        self.logs.clear()
        self.buf.clear()
        self.init_error = None
        self.proc = subprocess.Popen(
            self._command(),
            cwd=task_root,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        _LIVE.add(self)
        self.sock = ours
        os.set_blocking(self.proc.stdout.fileno(), False)
        ours.setblocking(False)
        self.sel = selectors.DefaultSelector()
        self.sel.register(self.proc.stdout, selectors.EVENT_READ, "log")
        self.sel.register(ours, selectors.EVENT_READ, "ctl")
        msg = self._receive(INIT_TIMEOUT)
        self.init_ms = (time.perf_counter() - t) * 1000
        if msg is None:  # died or too slow
            dead = self.proc.poll() is not None
            self.init_error = (
                self._exit_error()
                if dead
                else {"errorType": "Sandbox.Timedout", "errorMessage": f"Init phase timed out after {INIT_TIMEOUT:.2f} seconds"}
            )
            self._kill()
        elif msg.get("t") == "init_error":
            self.init_error = msg["error"]
            self._kill()

    def _kill(self) -> None:
        proc, self.proc = self.proc, None
        if proc:
            try:
                os.killpg(proc.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            try:
                proc.wait(5)
            except subprocess.TimeoutExpired:
                pass
            self._drain(proc)
            proc.stdout.close()
        if self.sel:
            self.sel.close()
            self.sel = None
        if self.sock:
            self.sock.close()
            self.sock = None
        _LIVE.discard(self)

    def stop(self) -> None:
        self.stopped = True
        self._kill()

    # -- talking
    def _drain(self, proc) -> None:
        try:
            while chunk := os.read(proc.stdout.fileno(), 65536):
                self.logs += chunk
        except (BlockingIOError, ValueError, OSError):
            pass

    def _receive(self, timeout: float) -> dict | None:
        """Returns the next message of the process; None if it died or the time is over."""
        end = time.monotonic() + timeout
        proc, sel, sock = self.proc, self.sel, self.sock
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return None
            for key, _ in sel.select(left):
                if key.data == "log":
                    try:
                        chunk = os.read(proc.stdout.fileno(), 65536)
                    except BlockingIOError:
                        continue
                    if chunk:
                        self.logs += chunk
                    else:
                        sel.unregister(proc.stdout)
                else:
                    try:
                        chunk = sock.recv(1 << 20)
                    except BlockingIOError:
                        continue
                    except OSError:
                        chunk = b""
                    if not chunk:
                        try:
                            proc.wait(2)
                        except subprocess.TimeoutExpired:
                            pass
                        return None
                    self.buf += chunk
                    if chunk[-1:] == b"\n":
                        line = bytes(self.buf)
                        self.buf.clear()
                        self._drain(proc)
                        return json.loads(line)

    def _exit_error(self) -> dict:
        rc = self.proc.poll() if self.proc else None
        what = (
            "Runtime exited without providing a reason"
            if rc == 0 or rc is None
            else f"Runtime exited with error: signal: {signal.Signals(-rc).name[3:].lower()}"
            if rc < 0
            else f"Runtime exited with error: exit status {rc}"
        )
        return {"errorType": "Runtime.ExitError", "errorMessage": what}

    def _max_memory(self) -> int:
        try:
            for line in Path(f"/proc/{self.proc.pid}/status").read_text().splitlines():
                if line.startswith("VmHWM"):
                    return int(line.split()[1]) // 1024
        except Exception:
            pass
        return int(self.function_version.config.memory_size)

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        with self.lock:
            return self._invoke(payload)

    def _invoke(self, payload: dict[str, str]) -> InvocationResult:
        request_id = payload["invoke-id"]
        timeout = float(self.function_version.config.timeout)
        cold = bool(self.init_ms)
        if self.proc is not None and self.proc.poll() is not None:  # died while idle
            self._kill()
        if self.proc is None and not self.init_error:
            self._spawn()
            cold = True
        version = self.function_version.id.qualifier
        out = f"START RequestId: {request_id} Version: {version}\n"
        is_error, t, memory = True, time.perf_counter(), 0
        if self.init_error:
            error, self.init_error = self.init_error, None
            result = json.dumps(error).encode()
        else:
            message = {
                "id": request_id,
                "arn": payload["invoked-function-arn"],
                "trace": payload.get("trace-id"),
                "deadline": int((time.time() + timeout) * 1000),
                "payload": payload["payload"],
            }
            t = time.perf_counter()
            try:
                self.sock.setblocking(True)
                self.sock.settimeout(timeout)
                self.sock.sendall(json.dumps(message).encode() + b"\n")
            except OSError:
                pass
            if self.sock:
                self.sock.setblocking(False)
            msg = self._receive(timeout)
            if self.proc is None:  # stopped meanwhile (function updated or deleted)
                result = json.dumps({"errorType": "Runtime.ExitError", "errorMessage": f"RequestId: {request_id} Error: Runtime exited with error: signal: killed"}).encode()
            elif msg is None:
                if self.proc.poll() is None:
                    error = {"errorType": "Sandbox.Timedout", "errorMessage": f"RequestId: {request_id} Error: Task timed out after {timeout:.2f} seconds"}
                    tail = f"{_now()} {request_id} Task timed out after {timeout:.2f} seconds\n"
                else:
                    error = self._exit_error()
                    error["errorMessage"] = f"RequestId: {request_id} Error: {error['errorMessage']}"
                    tail = f"{error['errorMessage']}\n{error['errorType']}\n"
                memory = self._max_memory()
                self._kill()
                self.logs += tail.encode()
                result = json.dumps(error).encode()
            else:
                memory = self._max_memory()
                result, is_error = msg["body"].encode(), msg["t"] == "error"
                if len(result) > MAX_RESPONSE:
                    is_error = True
                    result = json.dumps({"errorType": "Function.ResponseSizeTooLarge", "errorMessage": f"Response payload size exceeded maximum allowed payload size ({MAX_RESPONSE} bytes)."}).encode()
                if msg.get("exit"):
                    self._kill()
        ms = (time.perf_counter() - t) * 1000
        text = bytes(self.logs).decode("utf-8", "replace")
        self.logs.clear()
        out += text if not text or text.endswith("\n") else text + "\n"
        out += f"END RequestId: {request_id}\n"
        out += (
            f"REPORT RequestId: {request_id}\tDuration: {ms:.2f} ms\tBilled Duration: {int(ms) + 1} ms\t"
            f"Memory Size: {self.function_version.config.memory_size} MB\tMax Memory Used: {memory} MB\t"
            + (f"Init Duration: {self.init_ms:.2f} ms\t" if cold else "")
            + "\n"
        )
        self.init_ms = 0.0
        return InvocationResult(request_id, result, is_error=is_error, logs=out)

    def get_logs(self) -> str:
        return bytes(self.logs).decode("utf-8", "replace")


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
