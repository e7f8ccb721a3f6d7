"""The Python side of tests/faults: calls that fail, and a server that spares every start the loading of the engine."""
import os
import socket
import struct
import subprocess
import time

KINDS = ["write", "sync", "rename", "open", "read_open", "truncate", "unlink", "mkdir", "fork", "close"]
COUNTS = struct.Struct(f"<{len(KINDS) + 1}Q512s")


class Shim:
    """The environment of one start, and the counts that came of it."""

    def __init__(self, library, root, file, point=None):
        self.file = file
        file.write_bytes(bytes(COUNTS.size))
        self.environment = {"LD_PRELOAD": str(library), "MOBLO_FAULT_ROOT": str(root), "MOBLO_FAULT_COUNTS": str(file)}
        if point:
            self.environment |= {"MOBLO_FAULT_KIND": point.kind, "MOBLO_FAULT_AT": str(point.number),
                                 "MOBLO_FAULT_ERROR": str(point.error), "MOBLO_FAULT_LASTS": str(int(point.lasts))}

    def counts(self):
        *numbers, victim = COUNTS.unpack(self.file.read_bytes())
        return dict(zip(KINDS, numbers)), numbers[-1], victim.rstrip(b"\0").decode(errors="replace")


class EngineServer:
    """An engine that has loaded its libraries and waits; starts with its `environment` are forks of it."""

    def __init__(self, program, library, path):
        self.environment = {"LD_PRELOAD": str(library), "MOBLO_FAULT_SERVER": str(path)}
        self.process = subprocess.Popen(
            [str(program), "--version", "--verbose"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1", "LD_PRELOAD": str(library), "MOBLO_FAULT_SERVE": str(path)})
        while not self.answers(str(path)):
            if self.process.poll() is not None:
                raise SystemExit(f"the server of engines ended with {self.process.returncode}")
            time.sleep(0.01)

    @staticmethod
    def answers(path):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as trial:
            return trial.connect_ex(path) == 0

    def end(self):
        self.process.stdin.close()
        self.process.wait()
