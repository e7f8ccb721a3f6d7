# make        builds build/moblo
# make demo   sets up, builds, fetches the data, cleans MNIST and Fashion-MNIST; ends by naming the report
# make test   sets up, builds, and runs all tests
.PHONY: all configure build setup demo test bench asan tidy format clean

all: build

setup:
	@tools/setup

configure: setup
	@test -f build/build.ninja || cmake --preset release

build: configure
	@cmake --build --preset release --target moblo moblo-engine

demo: build
	@tools/demo

test: configure
	@cmake --build --preset release
	@ctest --preset release

bench: configure
	@cmake --build --preset release --target aggregation_bench mpnn_bench qp_bench weights_bench
	@build/bench/qp_bench
	@build/bench/weights_bench
	@build/bench/mpnn_bench
	@build/bench/aggregation_bench

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
