#!/usr/bin/env bash
# Installs the missing programs and packages for one purpose: run, test, test-all, check, bench or torture. If nothing is missing, it ends quickly. For test
# and test-all, RINGS lists the rings of tests that will run, separated by commas, and only their programs are installed. Without RINGS, test runs the rings
# of the day, and test-all runs all rings.
set -euo pipefail
purpose="${1:?run, test, test-all, check, bench or torture}"
cd "$(dirname "$0")/.."

node_major="$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)"
if [ "$node_major" -lt 20 ] || ! command -v npm >/dev/null; then
  echo "Node.js 20 or newer with npm is needed to install the project (it brings its own Node 26). Install it, for example: apt-get install nodejs npm" >&2
  exit 1
fi

missing=()
need() { # command, Debian package
  command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ] || [[ " ${missing[*]} " == *" $2 "* ]] || missing+=("$2")
}
need_monitoring() {
  need prometheus prometheus
  # The program may have this name on systems other than Debian.
  command -v alertmanager >/dev/null || need prometheus-alertmanager prometheus-alertmanager
}
day=service,crawl,acceptance,alone,faults
case "$purpose" in
test) rings="${RINGS:-$day}" ;;
test-all) rings="${RINGS:-$day,night}" ;;
*) rings="" ;;
esac
if [[ "$purpose" == test* ]]; then
  for ring in ${rings//,/ }; do
    case "$ring" in service | crawl | acceptance | alone | faults | night) need redis-server redis-server ;; esac
    case "$ring" in service | crawl | acceptance) [ -x "${CHROMIUM:-}" ] || need chromium chromium ;; esac
    case "$ring" in service | night) need nats-server nats-server ;; esac
    # Tests run the requests of the guides as printed.
    case "$ring" in acceptance) need curl curl ;; esac
    case "$ring" in night) need_monitoring ;; esac
    case "$ring" in service) need clamd clamav-daemon ;; esac
  done
elif [ "$purpose" != check ] && [ -z "${REDIS_URL:-}" ]; then
  need redis-server redis-server
fi
if [ "$purpose" = run ]; then
  # The first requests of the README and the guides need it.
  need curl curl
  if [ "${STACK_MONITORING:-on}" != off ]; then need_monitoring; fi
fi
if [ "$purpose" = torture ]; then need faketime faketime; fi

# Programs are installed while npm downloads packages.
programs=""
if [ "${#missing[@]}" -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "Install these programs, by the names of their Debian packages, with your system's package manager: ${missing[*]}" >&2
    if command -v brew >/dev/null; then echo "With Homebrew: brew install redis clamav nats-server prometheus alertmanager; a Chromium: brew install --cask chromium" >&2; fi
    exit 1
  fi
  command="apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" = 0 ]; then sudo=""; elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo="sudo"; else
    echo "These Debian packages are missing and cannot be installed without root: run  sudo $command" >&2
    if [[ " ${missing[*]} " == *" prometheus"* ]]; then echo "make run also starts without Prometheus and Alertmanager:  STACK_MONITORING=off make run" >&2; fi
    exit 1
  fi
  echo "installing ${missing[*]}"
  # Only the programs are needed. The stack and the tests start their own servers, so the packages must not start system services.
  ($sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 $command -qq >/dev/null) &
  programs=$!
fi

stamp=node_modules/.platform-installed
packages=0
if [ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ] || [ package.json -nt "$stamp" ]; then
  echo "installing npm packages"
  # This does not use npm ci, which refuses a lock file that lacks the optional packages of other platforms. The versions are nevertheless those of the
  # lock file. Older versions of npm run the install scripts of every package and ignore allowScripts in package.json, so a newer npm replaces them.
  npm=(npm)
  IFS=. read -r major minor _ <<<"$(npm --version)"
  if [ "$major" -lt 11 ] || { [ "$major" -eq 11 ] && [ "$minor" -lt 16 ]; }; then npm=(npx --yes npm@11.21.2); fi
  "${npm[@]}" install --no-save --no-audit --no-fund --loglevel=error && touch "$stamp" || packages=1
fi
if [ -n "$programs" ] && ! wait "$programs"; then
  echo "apt-get could not install ${missing[*]}: see its errors above" >&2
  exit 1
fi
exit "$packages"
