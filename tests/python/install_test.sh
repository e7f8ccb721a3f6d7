#!/usr/bin/env bash
# As a user would: a fresh virtual environment, `pip install` from the clone without a network, the README's lines.
#   tests/python/install_test.sh SOURCE [PYTHON]
# Compiles the library once more, so it belongs to `make test-all`.
set -euo pipefail
source=$(cd "$1" && pwd)
python=${2:-/usr/bin/python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "python install test: $1" >&2; exit 1; }

"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --no-index --no-build-isolation "$source" >"$work/pip.log" 2>&1 ||
  { tail -n 40 "$work/pip.log"; fail "pip install does not work"; }
cd "$work"
"$work/venv/bin/python" - "$source/README.md" >lines.py <<'END'
import pathlib, re, sys
blocks = re.findall(r"```python\n(.*?)```", pathlib.Path(sys.argv[1]).read_text(), re.DOTALL)
assert blocks, "README.md has no Python lines"
print("\n".join(blocks))
END
"$work/venv/bin/python" lines.py | tee output || fail "the README's lines do not run"
where=$("$work/venv/bin/python" -c 'import moblo; print(moblo.__file__)')
case "$where" in "$work"/venv/*) ;; *) fail "moblo came from $where" ;; esac
echo "python install test: passed"
