# Targets for newcomers, CI and operators of the local stack. Each target installs the programs and packages that it lacks.
SHELL := /bin/bash
.DEFAULT_GOAL := help
NPM_RUN := npm run --silent

.PHONY: help images-check run test test-all check bench floors torture test-store test-engines test-cluster test-clients test-upgrade kind compose clean ctl docs generate format setup

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## start the whole platform on this machine, seed a demo project, show one request through each domain, and serve
	@tools/setup.sh run
	@# On a terminal the stack gets a process group of its own, so that Ctrl-C stops it cleanly and make sees its exit code 0.
	@if [ -t 0 ]; then set -m; fi; node_modules/.bin/node --disable-warning=ExperimentalWarning tools/local/stack/src/main.ts; exit $$?

test: ## checks and tests of the day, about 20 minutes on two cores; the last line is "N passed, N failed"; RINGS=unit,service runs some
	@tools/setup.sh test
	@$(NPM_RUN) test

test-all: ## the same, the tests of the night and a longer fuzz test; before a release
	@tools/setup.sh test-all
	@$(NPM_RUN) test-all

check: ## formatting, lint, types, import rules, generated code, manifests
	@tools/setup.sh check
	@$(NPM_RUN) check

bench: ## benchmarks beside their baselines, in one run; ROWS=B1,PEERS runs some, BEFORE=/path compares with another checkout
	@tools/setup.sh bench
	@$(NPM_RUN) bench

floors: ## the benchmark rows that have a floor, beside another version in the same runs, three times in one report; BEFORE=/path/to/checkout
	@tools/setup.sh bench
	@BEFORE="$(BEFORE)" ROWS=B1,B3,B7,B8,FLOOD REPEAT=3 RUNS=$(or $(RUNS),3) SECONDS=$(or $(SECONDS),3) BENCH_OUT=$(or $(BENCH_OUT),.local/floors) $(NPM_RUN) bench

torture: ## faults under load, then every acknowledged id reconciled; MINUTES=10 by default; PROFILE=hostile: hostile callers instead
	@tools/setup.sh torture
	@$(NPM_RUN) torture

test-store: ## service, acceptance and browser tests and a kill test on FerretDB and PostgreSQL, made here; needs root, debootstrap and Go
	@tools/setup.sh test
	@$(NPM_RUN) test-store

test-engines: ## Redis Cluster, NATS, S3, a Kubernetes API server and the images, as users run them; needs root and Go; ONLY=s3,images runs some; ONLY=load FOR=60: each misbehaving under load
	@tools/setup.sh test
	@$(NPM_RUN) test-engines

test-cluster: ## a Kubernetes cluster made here without Docker: the overlays small and local, rollouts under load, policies; needs root, Go and Debian's containerd
	@tools/setup.sh test
	@$(NPM_RUN) test-cluster

test-clients: ## clients in other languages by six generators, against a stack; needs Go, Python and Java; ONLY=ogen,webhooks runs some
	@tools/setup.sh run
	@$(NPM_RUN) test-clients

test-upgrade: ## upgrade a platform of the checkout BEFORE=/path process by process to this one, under load; ORDER_SEED repeats an order
	@tools/setup.sh test
	@$(NPM_RUN) test-upgrade

kind: ## the platform in a kind cluster with development stores, then acceptance tests against it; needs Docker, kind and kubectl
	@tools/setup.sh check
	@tools/containers/kind.sh

compose: ## the platform by compose.yaml, then acceptance tests against it; needs Docker
	@tools/setup.sh check
	@tools/containers/compose.sh

ctl: ## the operator CLI against the local stack: make ctl ARGS="clients list"
	@tools/setup.sh check
	@$(NPM_RUN) platformctl -- $(ARGS)

images-check: ## assemble each app's image without an engine and start its processes from it; APPS="gateway ads-svc" does some
	@tools/setup.sh run
	@$(NPM_RUN) images-check -- $(APPS)

docs: ## the documentation site, which the gateway then serves at /docs; its links are checked
	@tools/setup.sh check
	@$(NPM_RUN) docs

generate: ## generated code and documents anew: protobuf, OpenAPI, error reference, client
	@tools/setup.sh check
	@$(NPM_RUN) generate

format: ## format the sources
	@tools/setup.sh check
	@$(NPM_RUN) format

setup: ## install everything tests and the local stack need
	@tools/setup.sh test-all

clean: ## remove the local stack's state and build caches
	rm -rf .local .nx dist
