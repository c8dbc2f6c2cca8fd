# Thin on purpose: CMake knows how to build, this file knows what people want.
#   make           build everything
#   make setup     install the Debian packages that are missing
#   make demo      setup, build the program, evaluate the shipped sample
#   make test      setup, build everything, run all tests
#   make bench     benchmarks (bench/README.md); RECORD=1: the results also go to bench/results.md
#   make bench-guard   counts the instructions of small runs, which must not grow by more than 5 % (needs valgrind); UPDATE=1: accepts the counts
#   make bench-scale   what parts, states and merging cost
#   make scale     the recipes of samples/scale on Slurm, GNU parallel, ssh, Dask and others; installs these (Debian starts sshd then)
#   make portable  the same bytes by gcc and clang, without FMA and AVX2, on emulated arm64 and s390x (20 minutes)
#   make reproducible   two builds, in two folders at two times, whose installed files must have the same bytes (4 minutes)
#   make suites   the readers against JSONTestSuite, yaml-test-suite and JSONPath's; JSON=FOLDER YAML=FOLDER JSONPATH=FOLDER: copies of these
#   make simulate  how often intervals hold the truth and comparisons raise false alarms, on simulated data (20 minutes)
#   make install   PREFIX=/somewhere; make uninstall removes what it put there
#   make dist      all packages into dist/, with SHA256SUMS and a list of what is inside (rules/manual/packages.md)
#   make tarball, make npm, make deb, make image   one of them: an archive, a package of npm, Debian packages, an image for containers
#   make packages-test   installs the packages of dist/ in clean Debian 12 and 13, runs and removes them (needs root, debootstrap, a network)
#   make wheel     the package for Python, dist/evalengine-VERSION-...whl, which carries the library (engine/api/python/README.md)
#   make asan, make tsan, make clang   the tests under sanitizers, and built by clang
#   make minimal   the tests of a build without the libraries that may be left out
#   make coverage  which lines and branches of the engine the tests reach, by room; LIST='data/schema prim' prints what they do not
#   make analyze   clang-tidy, cppcheck and gcc -fanalyzer over engine/ and lua/; installs these
#   make golden    rewrite the golden files from what the program prints now
#   make regress   whether the program prints what it did before; BASE=other/evalengine: what that one prints, with diffs
#   make browser-big   times of HTML pages with up to 100,000 cases in chromium (needs chromium-driver, python3-selenium)
#   make outputs   hostile ids, keys, values, names and messages through all commands and formats: 40 seeds (4 minutes)
#   make attacks   every attack of a hostile server against every command; nothing that is written may have the key (2 minutes)
#   make faults    each system call and allocation of a small run of each command fails once (an hour); FAULTS="--sample 100" for fewer
#   make bombs     inputs far beyond every bound: what they cost, and what is said (15 minutes; needs python3)
#   make fuzz      coverage-guided fuzzing of every reader (needs clang and its run-time library), TIME=N seconds each; ONLY='json yaml'
#   make fuzz-commands   random options on random files, with a sanitized program; N=2000 commands, SEED=1
#   make valgrind  one run of each command under valgrind
#   make seeds     the random tests with other seeds; N=20 seeds, FILES=test_quality_twin
#   make mutants   changes the code in one place at a time, and lists what no test notices; N=60 a room, SEED=1, FILES=engine/prim/edit.c

PACKAGES = gcc libc6-dev binutils cmake pkg-config liblua5.4-dev libcjson-dev libutf8proc-dev libxxhash-dev libyaml-dev zlib1g-dev libzstd-dev \
           libcsv-dev libstemmer-dev libpcre2-dev libcurl4-openssl-dev libsqlite3-dev libseccomp-dev libcmocka-dev perl
TEST_PACKAGES = python3-pytest python3-venv
PORTABLE_PACKAGES = clang qemu-user-static gcc-aarch64-linux-gnu gcc-s390x-linux-gnu perl
ANALYZE_PACKAGES = clang clang-tidy cppcheck python3
SCALE_PACKAGES = slurm-wlm parallel openssh-server openssh-client python3-distributed python3-yaml sqlite3 curl
BUILD ?= build
JOBS  := $(shell nproc 2>/dev/null || echo 2)
TIME ?= 120
# Under "make -jN" the jobs come from there.
PARALLEL = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
CTEST = ctest --output-on-failure -j$(JOBS)

.PHONY: faults all configure missing setup demo test reproducible suites bench bench-guard bench-scale scale portable simulate analyze coverage asan tsan clang minimal golden regress browser-big outputs attacks kills fuzz install wheel uninstall tarball npm deb image dist packages-test clean

all: configure
	@cmake --build $(BUILD) $(PARALLEL)

configure:
	@cmake -S . -B $(BUILD) $(CMAKE_OPTIONS) >$(BUILD)-configure.log 2>&1 || \
	  { cat $(BUILD)-configure.log; $(MAKE) --no-print-directory missing; exit 1; }
	@rm -f $(BUILD)-configure.log

# The names of Debian packages that are not installed; nothing on other systems.
MISSING = if command -v dpkg-query >/dev/null; then for p in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}\n' $$p 2>/dev/null | grep -q '^install ok installed' || echo $$p; done; fi
APT = apt-get install -y --no-install-recommends

missing:
	@missing=$$($(MISSING)); test -z "$$missing" || \
	  echo "missing Debian packages; 'make setup' installs them, or:" "sudo $(APT)" $$missing

# As root, or through sudo if it asks for no password.
setup:
	@missing=$$($(MISSING)); test -n "$$missing" || exit 0; \
	if test "$$(id -u)" = 0; then sudo=; elif sudo -n true 2>/dev/null; then sudo=sudo; \
	else echo "missing Debian packages; install them with:" "sudo $(APT)" $$missing; exit 1; fi; \
	echo "installing" $$missing; \
	$$sudo env DEBIAN_FRONTEND=noninteractive $(APT) $$missing >/dev/null 2>&1 || \
	  { $$sudo apt-get update && $$sudo env DEBIAN_FRONTEND=noninteractive $(APT) $$missing; }

demo: setup
	@$(MAKE) --no-print-directory configure
	@test -e $(BUILD)/evalengine || echo "building the program (about 30 seconds on two cores)"
	@cmake --build $(BUILD) $(PARALLEL) --target evalengine >$(BUILD)/build.log 2>&1 || { cat $(BUILD)/build.log; exit 1; }
	$(BUILD)/evalengine rules/invoice.lua samples/invoices.jsonl

test: setup
	@$(MAKE) --no-print-directory setup PACKAGES="$(TEST_PACKAGES)" || echo "tests that need these are skipped"
	@$(MAKE) --no-print-directory all CMAKE_OPTIONS="$(or $(CMAKE_OPTIONS),-DEE_WERROR=ON)"
	cd $(BUILD) && $(CTEST)

bench: all
	bench/run $(BUILD) $(if $(RECORD),--record)

bench-guard: all
	bench/guard $(BUILD) $(if $(UPDATE),--update)

bench-scale: all
	bench/scale $(BUILD)

scale:
	@$(MAKE) --no-print-directory setup PACKAGES="$(PACKAGES) $(SCALE_PACKAGES)"
	@$(MAKE) --no-print-directory configure
	@cmake --build $(BUILD) $(PARALLEL) --target evalengine
	cd $(BUILD) && $(CTEST) -R '^scale/'

analyze:
	@$(MAKE) --no-print-directory setup PACKAGES="$(PACKAGES) $(ANALYZE_PACKAGES)"
	@$(MAKE) --no-print-directory configure
	@cmake --build $(BUILD) $(PARALLEL) --target evalengine
	tests/analyze $(BUILD)

suites: configure
	@cmake --build $(BUILD) $(PARALLEL) --target read_document
	tests/suites $(BUILD)/tests/read_document $(if $(JSON),--json $(JSON)) $(if $(YAML),--yaml $(YAML)) $(if $(JSONPATH),--jsonpath $(JSONPATH))

reproducible: setup
	tests/reproducible $(CMAKE_OPTIONS)

portable:
	@$(MAKE) --no-print-directory setup PACKAGES="$(PACKAGES) $(PORTABLE_PACKAGES)"
	@$(MAKE) --no-print-directory configure
	@cmake --build $(BUILD) $(PARALLEL) --target evalengine
	tests/portable/check $(BUILD)

simulate: all
	bench/simulate $(BUILD)

# Without optimisation, so that each line is one; without always_inline, of which each call would be a copy; and with counters that
# several threads cannot lose: gcov works some out from others, so that lost ones would look like lines that were reached. All tests,
# also after one that fails, but those that refuse memory: the library that counts ends the program without it.
coverage:
	@cmake -S . -B build-coverage -DEE_WERROR=OFF -DEE_BUILD_BENCH=OFF -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS=--coverage -fprofile-update=atomic -Dalways_inline=unused" \
	  >build-coverage-configure.log 2>&1 || { cat build-coverage-configure.log; exit 1; }
	@cmake --build build-coverage $(PARALLEL)
	@find build-coverage -name '*.gcda' -delete
	-@cd build-coverage && $(CTEST) -E "^faults/"
	@tests/coverage build-coverage $(if $(LIST),--list $(LIST))

asan:
	$(MAKE) test BUILD=build-asan CMAKE_OPTIONS="-DEE_WERROR=ON -DEE_BUILD_BENCH=OFF -DEE_SANITIZE=address,undefined"
tsan:
	$(MAKE) test BUILD=build-tsan CMAKE_OPTIONS="-DEE_WERROR=ON -DEE_BUILD_BENCH=OFF -DEE_SANITIZE=thread"
clang:
	$(MAKE) test BUILD=build-clang CMAKE_OPTIONS="-DEE_WERROR=ON -DCMAKE_C_COMPILER=clang"
minimal:
	$(MAKE) test BUILD=build-minimal CMAKE_OPTIONS="-DEE_WERROR=ON -DEE_BUILD_BENCH=OFF $(patsubst %,-DEE_WITH_%=OFF,ZLIB ZSTD PCRE2 STEMMER CURL SQLITE SECCOMP)"

golden: all
	tests/cli/golden $(BUILD)/evalengine --update

regress: all
	tests/regress $(BUILD)/evalengine $(if $(BASE),--against $(BASE)) $(ONLY)

bombs: all
	tests/bombs/run $(BUILD)/evalengine $(ONLY)

kills: all
	EE_KILLS=$(or $(KILLS),100) $(BUILD)/tests/tests_cli test_results_kills

browser-big: all
	tests/browser/run --big $(BUILD)/evalengine

outputs: all
	tests/outputs $(BUILD)/evalengine 1000 40

attacks: all
	EE_ATTACKS=all $(BUILD)/tests/tests_cli test_secrets
	$(BUILD)/tests/tests_provider test_attacks

faults: all
	$(BUILD)/tests/faults/faults_host $(FAULTS)
	tests/faults/run $(BUILD)/evalengine $(BUILD)/tests/faults/libfailing_calls.so --jobs $(JOBS) $(FAULTS)

fuzz:
	@cmake -S . -B build-fuzz -DCMAKE_C_COMPILER=clang -DEE_BUILD_FUZZ=ON -DEE_BUILD_TESTS=OFF -DEE_BUILD_BENCH=OFF \
	  -DEE_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Fuzz -DCMAKE_C_FLAGS="-O1 -gline-tables-only" >build-fuzz-configure.log 2>&1 || { cat build-fuzz-configure.log; exit 1; }
	@cmake --build build-fuzz $(PARALLEL) --target fuzzers
	@tests/fuzz/run build-fuzz --time $(TIME) --jobs $(JOBS) $(ONLY)

fuzz-commands:
	@cmake -S . -B build-asan -DEE_WERROR=ON -DEE_BUILD_BENCH=OFF -DEE_SANITIZE=address,undefined >build-asan-configure.log 2>&1 || { cat build-asan-configure.log; exit 1; }
	@cmake --build build-asan $(PARALLEL) --target evalengine
	tests/fuzz/commands build-asan/evalengine --number $(or $(N),2000) --seed $(or $(SEED),1) --jobs $(JOBS)

valgrind: all
	tests/valgrind $(BUILD)/evalengine

seeds: all
	tests/seeds $(BUILD) --number $(or $(N),20) --jobs $(JOBS) $(FILES)

mutants: all
	tests/mutants $(BUILD) --number $(or $(N),60) --seed $(or $(SEED),1) --jobs $(JOBS) $(FILES)

# PREFIX=/somewhere: the program looks for the shipped rules there.
install: CMAKE_OPTIONS = $(if $(PREFIX),-DCMAKE_INSTALL_PREFIX=$(PREFIX))
install: all
	cmake --install $(BUILD)

# What was installed from this build, and nothing else.
uninstall:
	cmake -DBUILD=$(BUILD) -P cmake/uninstall.cmake

tarball npm wheel deb: setup
	cmake/packages/build dist $@

image: setup
	cmake/packages/image dist

dist: setup
	rm -rf dist
	cmake/packages/build dist tarball npm wheel deb spdx sums

packages-test:
	tests/packages/roots dist; status=$$?; test $$status = 0 -o $$status = 77
	tests/packages/npm dist/evalengine-*.tgz; status=$$?; test $$status = 0 -o $$status = 77

clean:
	rm -rf build build-* dist
