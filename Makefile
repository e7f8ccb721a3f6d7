# make        builds build/moblo
# make demo   sets up, builds, fetches the data, cleans MNIST and Fashion-MNIST; ends by naming the report
# make test   sets up, builds, and runs all tests
# make python    builds the Python package into build/python and tests it; `pip install --no-build-isolation .` installs it
# make test-all  that, all tests under the sanitizers, CONTRIBUTING.md followed in a scratch copy, Debian 13, and all attacks on runs: hours
# make test-debian13  the same in a Debian 13 root of its own (tools/in_debian13); build folder build-debian13
# make kills faults stress tsan soak  attacks on runs, short; KILLS=1000, FAULTS= (every call), STRESS=2000, SOAK=1000000 make them long
# make fuzz   runs every reader and solver on made-up input, SECONDS=60 each (docs/fuzzing.md)
# make sbom   dependencies with versions and licences, as SPDX: build/moblo.spdx.json
# make package  Debian packages for this system in build-package: moblo, libmoblo, libmoblo-dev, python3-moblo, moblo-doc
# make test-packages  installs them into a bare root and uses them there
# make bench  measures all speed figures and says which fall short
.PHONY: all configure build setup demo python test test-all test-debian13 kills faults stress tsan soak fuzz bench sbom package test-packages asan tidy format clean

all: build

setup:
	@tools/setup

configure: setup
	@test -f build/build.ninja || cmake --preset release

build: configure
	@cmake --build --preset release --target moblo moblo-engine moblo_catalogue moblo_shell_files moblo_library

demo: build
	@tools/demo

python: configure
	@cmake --build --preset release --target moblo_python_package
	@ctest --preset release --tests-regex '^python'

test: configure
	@cmake --build --preset release
	@ctest --preset release

test-all: test asan test-debian13 tsan
	@MOBLO_EVERY_CASE=1 ctest --preset release --tests-regex '^conformance'
	@tests/system/contributing_test.py . --method
	@tests/python/install_test.sh .
	@$(MAKE) test-packages
	@$(MAKE) kills faults stress soak fuzz KILLS=1000 FAULTS= STRESS=2000 SOAK=200000

test-debian13:
	@tools/in_debian13 sh -c 'tools/setup && cmake --preset release-debian13 && cmake --build --preset release-debian13 && ctest --preset release-debian13'

KILLS ?= 100
kills: build
	@tools/kill_campaign --kills $(KILLS)

FAULTS ?= --every 10
faults: build
	@cmake --build --preset release --target fault_shim
	@tools/fault_campaign $(FAULTS)

STRESS ?= 400
stress: configure
	@cmake --build --preset release --target test_stress
	@MOBLO_STRESS_CASES=$(STRESS) build/tests/test_stress

SOAK ?= 20000
soak: build
	@tools/soak --steps $(SOAK)
	@tools/soak --records $$(($(SOAK) * 10))

tsan: setup
	@cmake --preset tsan
	@cmake --build --preset tsan
	@ctest --preset tsan

bench: configure
	@cmake --build --preset release --target moblo moblo-engine aggregation_bench autograd_bench moblo_python_package mpnn_bench qp_bench scaling_bench step_bench weights_bench
	@tools/bench

sbom: build
	@tools/sbom

package: setup
	@cmake --preset package
	@cmake --build --preset package
	@cd build-package && cpack
	@ls -l build-package/*.deb

test-packages: package
	@tests/packages/check $$(. /etc/os-release && echo $$VERSION_ID) build-package

SECONDS ?= 60
fuzz:
	@tools/setup clang libclang-rt-dev
	@tools/fuzz --seconds $(SECONDS)

asan: setup
	@cmake --preset asan
	@cmake --build --preset asan
	@ctest --preset asan

tidy: setup
	@cmake --preset tidy
	@cmake --build --preset tidy

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

clean:
	@rm -rf build build-debian13 build-package build-debug build-asan build-fuzz build-tsan build-tidy
