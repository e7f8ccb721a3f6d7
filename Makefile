# make        builds build/moblo
# make demo   sets up, builds, fetches the data, cleans MNIST and Fashion-MNIST; ends by naming the report
# make test   sets up, builds, and runs all tests
# make bench  measures all speed figures and says which fall short
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
	@cmake --build --preset release --target moblo moblo-engine aggregation_bench mpnn_bench qp_bench scaling_bench step_bench weights_bench
	@tools/bench

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
