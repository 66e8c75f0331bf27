# Everything a person needs, each command with its own set-up. `make` alone lists them.
SHELL := /bin/bash
include scripts/traits.env
.DEFAULT_GOAL := help
.PHONY: help setup setup-tests run install uninstall test check packages docs docs-preview diagrams format bench instructions cache-tests cluster service realworld shared-caches fault fuzz model tracking chaos long screenshots clean

ARGS ?=
SECONDS ?= 60
RUNS ?= 50000
WRITES ?= 1000000
PORT ?= 8000
# The place of make install; DESTDIR is put in front of it. FEED_PROGRAM=path installs a program that was built before.
PREFIX ?= /usr/local
export PREFIX DESTDIR

help: ## List these commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

setup:
	@scripts/setup.sh libsqlite3-dev libnats-dev zlib1g-dev

run: setup ## Run the Essential Feed: backend and page in one process. ARGS="--help" shows what can be set.
	@echo "Building feed. The first time takes a few minutes; later it takes seconds."
	@scripts/setup.sh libvips-tools || echo "Without libvips-tools, the page shows images in their original size."
	@swift build --traits $(TRAITS) --product feed
	@exec .build/debug/feed demo $(ARGS)

install: ## Build feed in release mode, and install it with its manual and completions. PREFIX=$HOME/.local for another place.
	@scripts/setup.sh jq
	@[ -n "$(FEED_PROGRAM)" ] || scripts/setup.sh libsqlite3-dev libnats-dev zlib1g-dev
	@[ -n "$(FEED_PROGRAM)" ] || echo "Building feed in release mode. The first time takes many minutes."
	@[ -n "$(FEED_PROGRAM)" ] || swift build --traits $(TRAITS) --configuration release --static-swift-stdlib --product feed
	@[ -n "$(FEED_PROGRAM)" ] || { echo "Built with:"; scripts/packages.sh | sed 's/^/  /'; }
	@scripts/install.sh install "$(or $(FEED_PROGRAM),.build/release/feed)"

uninstall: ## Remove what make install has installed, with the same PREFIX.
	@scripts/install.sh uninstall

setup-tests: setup
	@scripts/setup.sh ca-certificates chromium chromium-driver curl fonts-dejavu-core graphviz jq libvips-tools nats-server openssl
	@scripts/servers.sh

test: setup-tests ## Build everything and run the tests, the page in headless Chromium among them.
	@echo "Building everything with its tests. The first time takes a few minutes."
	@start=$$SECONDS; swift build --traits $(TRAITS) --product duetPackageTests && echo "Built in $$((SECONDS - start)) s."
	@swift build --traits $(TRAITS) --quiet --product CallAnAPI
	@scripts/test.sh
	@scripts/tls.sh

check: setup ## Check format, documentation, forbidden words, and that the core links no Foundation.
	@scripts/setup.sh git graphviz jq
	@scripts/check.sh

packages: ## Note the releases of the packages in scripts/packages.txt, after the tests have passed with them.
	@scripts/setup.sh jq
	@scripts/packages.sh >scripts/packages.txt

docs: setup ## Make the documentation, guides and tutorial as one static site in .build/docs/site.
	@scripts/setup.sh git graphviz jq
	@swift build --traits $(TRAITS) --quiet
	@scripts/docs.sh

docs-preview: docs ## Make the documentation and serve it on http://127.0.0.1:8000 until Control-C. PORT=9000 for another port.
	@echo "Open http://127.0.0.1:$(PORT)/documentation/guides/"
	@cd .build/docs/site && exec python3 -m http.server --bind 127.0.0.1 $(PORT)

diagrams: ## Draw the diagrams of the documentation as SVG in .build/docs/diagrams.
	@scripts/setup.sh graphviz jq
	@scripts/diagrams.sh .build/docs/diagrams

format: ## Format all Swift code.
	@swift format --in-place --parallel --recursive Package.swift Sources EssentialFeed Examples Tests Snippets Benchmarks/Package.swift Benchmarks/Sources

bench: setup ## Run the benchmarks and print their tables (builds in release: the first time takes many minutes).
	@scripts/setup.sh curl nats-server valgrind wrk
	@Benchmarks/run.sh

instructions: setup ## Compare instructions and allocations of calls with Benchmarks/instructions.txt (a release build: minutes the first time).
	@scripts/setup.sh valgrind
	@Benchmarks/instructions.sh

cache-tests: setup ## Run the public HTTP cache suite through a caching client. SUITE=folder names a copy of http-tests/cache-tests.
	@swift build --traits $(TRAITS) --quiet --product CachingServer
	@scripts/cache-tests.sh "$(SUITE)"

cluster: setup ## Run NATS, two workers and a page, kill a worker with -9, and show that everything continues.
	@scripts/setup.sh curl nats-server
	@swift build --traits $(TRAITS) --product feed --quiet
	@scripts/cluster.sh .build/debug/feed

service: setup ## Serve a list of messages with FlyingFox, and check that it responds as Hummingbird does.
	@swift build --package-path Tests/HTTP/FlyingFoxService --scratch-path .build/service --quiet
	@swift build --traits $(TRAITS) --build-tests --quiet
	@TRAITS=$(TRAITS) scripts/service.sh .build/service/debug/FlyingFoxService

realworld: setup ## Run the public tests of the RealWorld specification against the example. SUITE=folder has their Hurl files.
	@swift build --traits $(TRAITS) --quiet --product realworld
	@Examples/RealWorld/test.sh "$(SUITE)"

shared-caches: setup ## Put Varnish and nginx in front of two servers, and show that a command reaches the next query.
	@scripts/setup.sh curl nginx varnish
	@swift build --traits $(TRAITS) --product feed --quiet
	@swift build --traits $(TRAITS) --product realworld --quiet
	@scripts/shared-caches.sh .build/debug/feed .build/debug/realworld

fault: setup ## Run the fault tests in full: kill the process in the middle of a save 150 times for each store.
	@DUET_FAULT_ROUNDS=150 swift test --traits $(TRAITS) --filter 'killed at any moment'

fuzz: setup ## Feed malformed input to every parser of bytes from outside, for a minute. SECONDS=600 for longer.
	@DUET_FUZZ_ALONE=1 DUET_FUZZ_SECONDS=$(SECONDS) swift test --traits $(TRAITS) --filter 'FuzzTests|EnvelopeReaderTests|NATSReaderTests'

model: setup ## Compare the query cache with its model in 50,000 generated runs and as many interleavings, for seven minutes. RUNS=500000 for more.
	@MODEL_RUNS=$(RUNS) swift test --traits $(TRAITS) --filter 'DuetCachingTests.(ModelTests|InterleavingTests)'

tracking: setup ## Compare cached values without rules with fresh ones after a million generated writes, for an hour. WRITES=20000 for fewer.
	@TRACKED_WRITES=$(WRITES) swift test --traits $(TRAITS) --filter 'DuetSQLiteTests.TrackingModelTests'

chaos: setup ## Kill NATS servers and workers while 20,000 commands and 60,000 queries are handled. DUET_NATS_SERVER=path for another server.
	@scripts/setup.sh nats-server
	@DUET_CHAOS=1 DUET_FAULT_ROUNDS=150 swift test --traits $(TRAITS) --no-parallel \
		--filter 'DuetNATSTests.(ChaosTests|FullChaosTests|ThreeServersTests)'

long: fault fuzz model tracking chaos ## Run what takes too long for make test: the five targets before, all snippets, and the package in Tests/Outside.
	@scripts/snippets.sh all
	@scripts/outside.sh all

screenshots: setup ## Take the pictures of the documentation with headless Chromium. The tests compare them with the pages.
	@scripts/setup.sh chromium chromium-driver fonts-dejavu-core
	@FEED_PICTURES=write swift test --traits $(TRAITS) --filter FeedBrowserTests.InBrowser/PictureTests

clean: ## Remove everything that was built.
	@rm -rf .build Benchmarks/.build
