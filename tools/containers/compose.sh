#!/usr/bin/env bash
# Runs the platform with compose.yaml and newly created secrets, and runs the acceptance tests from outside. Needs Docker with compose. Usage: compose.sh [up]
# [test] [down]; without arguments up and test.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/containers/lib.sh
SMTP_URL=smtp://mailpit:1025?tls=optional
state=.local/compose
# The files that this script writes contain secrets.
umask 077
host_of() { echo localhost; }
compose() { docker compose --env-file "$state/.env" "$@"; }

up() {
  mkdir -p "$state"
  if [ ! -f "$state/.env" ]; then
    local service
    {
      echo "OPERATOR_TOKEN=$(token)"
      echo "S3_ACCESS_KEY_ID=$(token | cut -c1-20)"
      echo "S3_SECRET_ACCESS_KEY=$(token)"
      for service in $services; do echo "$(echo "${service%-svc}" | tr a-z A-Z)_SERVICE_KEY=$(key)"; done
    } >"$state/.env"
  fi
  compose up --build --wait --wait-timeout 600
}

run_tests() {
  local file
  mkdir -p "$state/tls"
  for file in ca.crt tls.crt tls.key; do
    compose run --rm --no-TTY certificates cat "/certificates/operator/$file" >"$state/tls/$file"
  done
  write_settings "$state" host_of "$(sed -n 's/^OPERATOR_TOKEN=//p' "$state/.env")"
  accept "$state"
}

need docker
[ $# -gt 0 ] || set -- up test
for step in "$@"; do
  case "$step" in
    up) up ;;
    test) run_tests ;;
    down) compose down --volumes ;;
    *) echo "usage: $0 [up] [test] [down]" >&2; exit 1 ;;
  esac
done
