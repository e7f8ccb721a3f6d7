#!/usr/bin/env bash
# Installs a build into a temporary folder and uses it as a stranger would: the program from an empty folder, the
# library from a project outside the source tree.
# usage: install_test.sh BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail
build=$1
source=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "install test: $1" >&2
  exit 1
}

# `COMMAND | grep -q` under pipefail fails by chance: grep leaves at the first hit and COMMAND dies of SIGPIPE.
says() {
  local pattern=$1
  shift
  "$@" >"$work/said" && grep -qE "$pattern" "$work/said"
}

cmake --install "$build" --prefix "$work/moblo" >"$work/install.log" || { cat "$work/install.log"; fail "cannot install"; }

mkdir "$work/empty" && cd "$work/empty"
moblo=$work/moblo/bin/moblo
says figure-3 "$moblo" list experiments || fail "the installed program does not find its experiments"
says '"status":"completed"' "$moblo" run "$work/moblo/share/moblo/experiments/synthetic.toml" --set iterations=5 --json \
  --quiet || fail "the installed program cannot run"
if [ -f "$source/web/dist/charts.js" ]; then
  grep -q 'id="figures"' runs/*/report.html || fail "the installed program does not find its chart library"
fi
grep -rq "$source" "$work/moblo/lib/cmake" && fail "the exported targets name the source tree"

# Public headers include public headers only, and the shared library shows what they declare only.
include=$work/moblo/include
grep -rhoE '#include "moblo/[a-z0-9_/]+\.hpp"' "$include" | sort -u | grep -oE 'moblo/[a-z0-9_/]+\.hpp' | while read -r header; do
  [ -f "$include/$header" ] || fail "an installed header includes $header, which is not installed"
done
library=$(find "$work/moblo" -name libmoblo.so -print -quit)
[ -n "$library" ] || fail "no shared library"
says 'SONAME.*libmoblo\.so\.0\.1' readelf -d "$library" || fail "libmoblo.so has no SONAME of its own"
nm -DC --defined-only "$library" >"$work/symbols"
grep -q 'moblo::training::train(' "$work/symbols" || fail "moblo::train is not exported"
grep -q 'moblo::lab::' "$work/symbols" && fail "the library holds parts of the laboratory"
grep -qE 'moblo::(qp|gradients)::(SimplexQp|Trajectory)' "$work/symbols" && fail "what is private is exported"

# The compiler's own speed is not what is tested: no optimisation, and ccache where there is one.
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
flags=${MOBLO_TEST_FLAGS:+-DCMAKE_CXX_FLAGS=$MOBLO_TEST_FLAGS}
cmake -S "$source/tests/system/outside_project" -B "$work/outside" -G Ninja -DCMAKE_PREFIX_PATH="$work/moblo" \
  -DEXAMPLE="$source/examples/own_problem.cpp" "${launcher[@]}" ${flags:+"$flags"} >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "find_package(moblo) does not work"; }
cmake --build "$work/outside" >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "the example does not build"; }
export LD_LIBRARY_PATH=$(dirname "$library")
"$work/outside/own_problem" | tee "$work/output"
grep -q "gradients: right" "$work/output" || fail "the example's gradients are wrong"

# The same by pkg-config.
if command -v pkg-config >/dev/null && [ -z "${MOBLO_TEST_FLAGS:-}" ]; then
  export PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
  # shellcheck disable=SC2046
  ${launcher:+ccache} g++ -c "$source/examples/own_problem.cpp" -o "$work/own.o" $(pkg-config --cflags moblo) ||
    fail "the example does not compile with pkg-config's flags"
  g++ "$work/own.o" -o "$work/own" $(pkg-config --libs moblo) || fail "the example does not link with pkg-config's flags"
  says "gradients: right" "$work/own" || fail "the example by pkg-config is wrong"
fi

# As a subdirectory of a project that never looked for Torch; only configured, for building it takes minutes.
for way in subdirectory fetch; do
  cmake -S "$source/tests/system/outside_project" -B "$work/$way" -G Ninja -DWAY=$way -DMOBLO_SOURCE="$source" \
    -DEXAMPLE="$source/examples/own_problem.cpp" >"$work/$way.log" 2>&1 ||
    { cat "$work/$way.log"; fail "moblo does not configure by $way"; }
  says libmoblo.so ninja -C "$work/$way" -t query own_problem || fail "own_problem does not link moblo by $way"
  says "test_base|moblo-engine" ninja -C "$work/$way" -t targets all && fail "tests or programs come along by $way"
done
echo "install test: passed"
