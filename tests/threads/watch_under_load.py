#!/usr/bin/env python3
"""watch_under_load.py PROGRAM: `moblo watch` asked by many at once while runs are written, begun again and removed.

Meant for a program built with the thread sanitizer, which ends with another exit code where it saw a race.
"""
import concurrent.futures
import http.client
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SECONDS = 6
CLIENTS = 6
STEP = {"losses": [1.5, 0.5], "lower_loss": 0.1, "q": 0.05, "kkt": 0.2, "weights": [0.25, 0.75],
        "solved_weights": [0.25, 0.75], "nu": 0.5, "gradient_norms": [1.0, 2.0, 0.5], "conflict_cosines": [-0.5],
        "qp_status": "solved", "qp_residual": 0.0, "gradients": {"lower": 5, "upper": 2, "second_order": 0}}
MANIFEST = {"created": "2026-01-01T00:00:00Z", "title": "made by hand",
            "config": {"method": "forum", "problem": "synthetic", "iterations": 100000}, "runtime": {},
            "problem": {"m": 2, "n": 1, "p": 2}, "datasets": {}, "amendments": []}


def begin(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "steps.jsonl").write_text("")
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))


def write(root, ended):
    names = ["first", "second", "third"]
    for name in names:
        begin(root / name)
    k = 0
    while not ended.wait(0.02):
        for name in names:
            with open(root / name / "steps.jsonl", "a") as lines:
                lines.writelines(json.dumps({"k": i, **STEP}) + "\n" for i in range(k, k + 20))
        k += 20
        if k % 1000 == 0:  # a resume that cuts the record, and a run that is thrown away and begun again
            begin(root / "second")
            shutil.rmtree(root / "third")
            begin(root / "third")
            k = 0


def ask(port, number, ended):
    count = 0
    paths = ["/", "/api/runs?version=0"]
    for name in ("first", "second", "third", "unknown"):
        paths += ["/run?" + urllib.parse.urlencode({"name": name}),
                  "/api/run?" + urllib.parse.urlencode({"name": name, "version": 0, "records": count})]
    while not ended.is_set():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            for path in paths[number % 3:]:
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                if answer.status >= 500:
                    raise SystemExit(f"{path} was answered with {answer.status}")
                count += 1
        except (OSError, http.client.HTTPException):
            time.sleep(0.1)  # an idle connection is closed after a while; whether the server lives is seen at the end
        connection.close()
    return count


def main():
    root = pathlib.Path(tempfile.mkdtemp(prefix="moblo-watch-"))
    errors = tempfile.TemporaryFile()
    watch = subprocess.Popen([sys.argv[1], "watch", str(root), "--port", "0"], stdout=subprocess.PIPE, stderr=errors,
                             text=True)
    try:
        port = int(re.search(r":(\d+)/", watch.stdout.readline())[1])
        ended = threading.Event()
        with concurrent.futures.ThreadPoolExecutor(CLIENTS + 1) as pool:
            writer = pool.submit(write, root, ended)
            clients = [pool.submit(ask, port, number, ended) for number in range(CLIENTS)]
            time.sleep(SECONDS)
            ended.set()
            writer.result()
            requests = sum(client.result() for client in clients)
        watch.send_signal(signal.SIGTERM)
        code = watch.wait(60)
    finally:
        watch.kill()
        watch.wait()
        shutil.rmtree(root, ignore_errors=True)
    errors.seek(0)
    words = errors.read().decode(errors="replace")
    print(f"{requests} requests, exit {code}\n{words[:6000]}")
    sys.exit(0 if code == 0 and requests > 0 and "ThreadSanitizer" not in words else 1)


if __name__ == "__main__":
    main()
