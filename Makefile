# Thin front for people; Meson and Ninja do the work, tools/ has the longer recipes.
#   make          release build: build/trainyard        make run    set up, build, run an example
#   make test     set up, tests under ASan + UBSan      make check T=json_test   one test, with its output
#   make test-cluster   build a control plane (once: long), run the suites that need it
#   make test-all       both of them                    make bench  benchmarks of the release build
#   make test-neighbours   Kueue, coscheduling, a real node, the oldest API server (built once: long)
#   make test-frameworks   TensorFlow, JAX, PyTorch … of PyPI on this machine (downloads 8 GB once)
#   make torture  TORTURE_SECONDS (600) of hostile clients on every port of the operator
#   make fuzz     FUZZ_SECONDS (300) for each target    make lint   analysers and checks
#   make cost     admission grows linearly with its input: instruction counts
#   make deps     Debian packages that are missing      make format clang-format everything
#   make install  DESTDIR, PREFIX (/usr/local)          make deb    a Debian package: build/trainyard_*.deb
#   make release VERSION=X.Y.Z   all that is released: build/release/    make test-release   twice, and compared
#   make clean
# WERROR=true makes warnings errors, as CI does.
BUILD     ?= build
TESTBUILD ?= build-test
FUZZBUILD ?= build-fuzz
LINTBUILD ?= build-lint
PREFIX    ?= /usr/local
WERROR    ?= false
PYTHON    ?= /usr/bin/python3
export PYTHON

BASH_DIR = bash-completion/completions
ZSH_DIR  = zsh/site-functions
FISH_DIR = fish/vendor_completions.d

VERSION  =
RELEASE  = -Dbuildtype=release -Doptimization=2 -Dwerror=$(WERROR) -Dversion=$(VERSION)
SANITIZE = -Db_sanitize=address,undefined -Db_lundef=false -Dhardening=false
TESTS    = -Dtests=true -Dbuildtype=debugoptimized $(SANITIZE) -Dwerror=$(WERROR)
RUN_TESTS = TRAINYARD_RELEASE=$(abspath $(BUILD)/trainyard) $(PYTHON) tools/test $(TESTBUILD)
FUZZ     = -Dfuzz=true -Dbuildtype=debugoptimized $(SANITIZE)

.PHONY: all deps run test test-build test-cluster test-all check test-neighbours test-frameworks bench cost soak torture fuzz lint format install install-files deb release test-release clean
all:
	@tools/configure $(BUILD) $(RELEASE)
	@ninja --quiet -C $(BUILD)

deps:
	@tools/deps build test lint fuzz bench

run:
	@tools/deps build run
	@$(MAKE) --no-print-directory all
	@echo "PyTorch DDP on two nodes with two processes each, on this machine: trainyard run examples/torch-ddp.yaml"
	@$(BUILD)/trainyard run examples/torch-ddp.yaml

# The suites that need a control plane run too if it is built (test-cluster) or KUBEBUILDER_ASSETS names it.
test: test-build
	@$(RUN_TESTS)

test-cluster:
	@tools/deps build test release
	@tools/configure $(TESTBUILD) $(TESTS)
	@ninja --quiet -C $(TESTBUILD) trainyard kubeclient parts
	@tools/configure $(BUILD) $(RELEASE)
	@ninja --quiet -C $(BUILD) trainyard
	@$(RUN_TESTS) --cluster

test-all: test-build
	@$(RUN_TESTS) --all

test-build:
	@tools/deps build test release
	@tools/configure $(TESTBUILD) $(TESTS)
	@ninja --quiet -C $(TESTBUILD)
	@tools/configure $(BUILD) $(RELEASE)
	@ninja --quiet -C $(BUILD) trainyard

# One C test (T=json_test) or one suite (T=cli), built and run with its output.
check:
	@tools/deps build $(if $(wildcard tests/$(T)/test_*.py),test release,check)
	@tools/configure $(TESTBUILD) $(TESTS)
	@$(if $(filter install operator,$(T)),tools/configure $(BUILD) $(RELEASE) && ninja --quiet -C $(BUILD) trainyard)
	@TRAINYARD_RELEASE=$(abspath $(BUILD)/trainyard) $(PYTHON) tools/check $(TESTBUILD) "$(T)"

# CASES="jax mpich" runs a part; tests/frameworks/frameworks.py --help lists them.
test-frameworks:
	@tools/deps build test
	@$(MAKE) --no-print-directory all
	@$(PYTHON) tests/frameworks/frameworks.py $(CASES)

test-neighbours:
	@tools/deps build test release neighbours
	@tools/configure $(TESTBUILD) $(TESTS)
	@ninja --quiet -C $(TESTBUILD) trainyard
	@tools/configure $(BUILD) $(RELEASE)
	@ninja --quiet -C $(BUILD) trainyard
	@$(PYTHON) tests/cluster/binaries.py build
	@$(PYTHON) tests/cluster/binaries.py build neighbours helm
	@$(RUN_TESTS) neighbours

bench:
	@tools/deps build bench
	@tools/configure $(BUILD) $(RELEASE) -Dbench=true
	@ninja --quiet -C $(BUILD)
	@for b in bench/*.c; do n=$$(basename "$$b" .c); echo "== $$n"; $(BUILD)/bench-$$n || exit 1; done
	@echo "== local"; $(PYTHON) bench/local.py $(BUILD)/trainyard
	@echo "== operator"; $(PYTHON) bench/operators.py $(BUILD)/trainyard

# Instructions for n and for 2n items in every list that a stranger can fill: no more than linear.
cost:
	@tools/deps build bench
	@tools/configure $(BUILD) $(RELEASE) -Dbench=true
	@ninja --quiet -C $(BUILD) bench-admission
	@$(PYTHON) tools/cost $(BUILD)

# Half an hour of churn (SOAK_SECONDS), then a restart over 10,000 TrainJobs: memory and requests.
soak: all
	@$(PYTHON) bench/operator_soak.py $(BUILD)/trainyard
	@$(PYTHON) bench/operator_many.py $(BUILD)/trainyard

# Hostile clients on every port of the operator while 200 TrainJobs run (TORTURE_SECONDS, TORTURE_SEED).
torture: all
	@$(PYTHON) tests/torture/torture.py $(BUILD)/trainyard

fuzz:
	@tools/deps build fuzz
	@CC=clang tools/configure $(FUZZBUILD) $(FUZZ)
	@ninja --quiet -C $(FUZZBUILD)
	@tools/fuzz $(FUZZBUILD)

lint:
	@tools/deps build test lint
	@tools/lint $(LINTBUILD)

format:
	@tools/sources --all | xargs clang-format -i

install: all install-files

# Without the build: tools/deb has a program already.
install-files:
	install -D -m 755 $(BUILD)/trainyard $(DESTDIR)$(PREFIX)/bin/trainyard
	ln -sf trainyard $(DESTDIR)$(PREFIX)/bin/kubectl-trainyard
	install -D -m 644 include/trainyard/plugin.h $(DESTDIR)$(PREFIX)/include/trainyard/plugin.h
	install -d $(addprefix $(DESTDIR)$(PREFIX)/share/,$(BASH_DIR) $(ZSH_DIR) $(FISH_DIR))
	$(PYTHON) tools/man $(BUILD)/trainyard $(DESTDIR)$(PREFIX)/share/man/man1
	echo '.so man1/trainyard.1' > $(DESTDIR)$(PREFIX)/share/man/man1/kubectl-trainyard.1
	$(BUILD)/trainyard completion bash > $(DESTDIR)$(PREFIX)/share/$(BASH_DIR)/trainyard
	$(BUILD)/trainyard completion zsh > $(DESTDIR)$(PREFIX)/share/$(ZSH_DIR)/_trainyard
	$(BUILD)/trainyard completion fish > $(DESTDIR)$(PREFIX)/share/$(FISH_DIR)/trainyard.fish

deb: all
	@tools/deb $(BUILD)/trainyard $(BUILD)

# Binary, package, image, chart, manifests, SBOM, checksums; twice from one commit: the same bytes.
release:
	@tools/deps build release
	@$(PYTHON) tools/release "$(VERSION)" $(BUILD)/release

# From two clones at two places, each compiled from nothing.
test-release:
	@tools/deps build test release
	@$(PYTHON) tests/install/twice.py $(BUILD)/results-release.tsv

clean:
	rm -rf build-release $(BUILD) $(TESTBUILD) $(FUZZBUILD) $(LINTBUILD)
