#!/usr/bin/env bash
# Installs what is missing for one purpose: run, test, check, bench or torture. Does nothing, quickly, when all is there.
set -euo pipefail
purpose="${1:?run, test, check, bench or torture}"
cd "$(dirname "$0")/.."

node_major="$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)"
if [ "$node_major" -lt 20 ] || ! command -v npm >/dev/null; then
  echo "Node.js 20 or newer with npm is needed to install the project (it brings its own Node 26). Install it, for example: apt-get install nodejs npm" >&2
  exit 1
fi

stamp=node_modules/.platform-installed
if [ ! -f "$stamp" ] || [ package-lock.json -nt "$stamp" ] || [ package.json -nt "$stamp" ]; then
  echo "installing npm packages"
  # Not npm ci: it refuses a lock file that lacks the optional packages of other platforms. The lock file decides every version here too.
  npm install --no-save --no-audit --no-fund --loglevel=error
  touch "$stamp"
fi

missing=()
need() { # command, Debian package
  command -v "$1" >/dev/null || [ -x "/usr/sbin/$1" ] || missing+=("$2")
}
if [ "$purpose" != check ] && [ -z "${REDIS_URL:-}" ]; then need redis-server redis-server; fi
if [ "$purpose" = test ]; then
  need redis-server redis-server
  need chromium chromium
  need clamd clamav-daemon
  need nats-server nats-server
fi
if [ "$purpose" = torture ]; then need faketime faketime; fi
if [ "${#missing[@]}" -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "Install these programs, by the names of their Debian packages, with your system's package manager: ${missing[*]}" >&2
    if command -v brew >/dev/null; then echo "With Homebrew: brew install redis clamav nats-server; a Chromium: brew install --cask chromium" >&2; fi
    exit 1
  fi
  command="apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" = 0 ]; then sudo=""; elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo="sudo"; else
    echo "These Debian packages are missing and cannot be installed without root: run  sudo $command" >&2
    exit 1
  fi
  echo "installing ${missing[*]}"
  $sudo apt-get update -qq
  # Only the programs are wanted: the stack and the tests start their own servers, so none is started as a system service.
  DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 $sudo $command -qq >/dev/null
fi
