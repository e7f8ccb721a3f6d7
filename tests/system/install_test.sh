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

cmake --install "$build" --prefix "$work/moblo" >"$work/install.log" || { cat "$work/install.log"; fail "cannot install"; }

mkdir "$work/empty" && cd "$work/empty"
moblo=$work/moblo/bin/moblo
"$moblo" list experiments | grep -q figure-3 || fail "the installed program does not find its experiments"
"$moblo" run "$work/moblo/share/moblo/experiments/synthetic.toml" --set iterations=5 --json --quiet |
  grep -q '"status":"completed"' || fail "the installed program cannot run"
if [ -f "$source/web/dist/charts.js" ]; then
  grep -q 'id="figures"' runs/*/report.html || fail "the installed program does not find its chart library"
fi
grep -rq "$source" "$work/moblo/lib/cmake" && fail "the exported targets name the source tree"

# The compiler's own speed is not what is tested: no optimisation, and ccache where there is one.
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
flags=${MOBLO_TEST_FLAGS:+-DCMAKE_CXX_FLAGS=$MOBLO_TEST_FLAGS}
cmake -S "$source/tests/system/outside_project" -B "$work/outside" -G Ninja -DCMAKE_PREFIX_PATH="$work/moblo" \
  -DEXAMPLE="$source/examples/own_problem.cpp" "${launcher[@]}" ${flags:+"$flags"} >"$work/configure.log" 2>&1 ||
  { cat "$work/configure.log"; fail "find_package(moblo) does not work"; }
cmake --build "$work/outside" >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "the example does not build"; }
"$work/outside/own_problem" | tee "$work/output"
grep -q "gradients: right" "$work/output" || fail "the example's gradients are wrong"
