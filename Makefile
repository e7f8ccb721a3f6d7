# make        builds build/moblo
# make demo   sets up, builds, and runs the paper's synthetic problem; ends by naming the report
# make test   sets up, builds, and runs all tests
.PHONY: all build setup demo test bench asan tidy format clean

all: build

setup:
	@tools/setup

build: setup
	@test -f build/build.ninja || cmake --preset release
	@cmake --build --preset release

demo: build
	@build/moblo reproduce figure-3

test: build
	@ctest --preset release

bench: build
	@build/bench/qp_bench

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
	@rm -rf build build-debug build-asan build-tidy
