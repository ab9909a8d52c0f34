# Functions that kind.sh and compose.sh share: settings for an operator outside of the containers, and the acceptance tests against them.

# rendered from libs/contracts/src/services.ts: services
services="identity-svc files-svc notify-svc events-svc ads-svc"
port_of() {
  case "$1" in
    identity-svc) echo 8090 ;;
    files-svc) echo 8092 ;;
    notify-svc) echo 8094 ;;
    events-svc) echo 8096 ;;
    ads-svc) echo 8098 ;;
  esac
}
# end of rendered lines
apps="gateway console $services"
# Tests that need only the platform: no provider sink, no second gateway, no process to kill, and no target on this machine.
outside_tests="edge-conventions edge-noop events-audits events-domain-events files-flow files-streaming every-operation-authentication"

need() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || { echo "$0 needs $program" >&2; exit 1; }
  done
}

key() { head -c 32 /dev/urandom | base64; }
token() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }

# Writes the settings of platformctl and the tests. Usage: write_settings FOLDER HOST_OF_SERVICE(function) OPERATOR_TOKEN
write_settings() {
  local folder="$1" host_of="$2" operator_token="$3" service
  {
    echo "OPERATOR_TOKEN=$operator_token"
    echo "PUBLIC_BASE_URL=http://localhost:8080"
    echo "GRPC_TLS_CA=$PWD/$folder/tls/ca.crt"
    echo "GRPC_TLS_CERT=$PWD/$folder/tls/tls.crt"
    echo "GRPC_TLS_KEY=$PWD/$folder/tls/tls.key"
    echo "SMTP_URL=$SMTP_URL"
    for service in $services; do
      echo "$(echo "${service%-svc}" | tr a-z A-Z)_GRPC=$("$host_of" "$service"):$(port_of "$service")"
    done
  } >"$folder/stack.env"
}

# Seeds the demo project and runs the tests from outside. Usage: accept FOLDER
accept() {
  local tests=() name
  for name in $outside_tests; do tests+=("tests/acceptance/$name.test.ts"); done
  STACK_DIR="$1" npm run --silent platformctl -- demo seed
  BASE_URL=http://localhost:8080 STACK_DIR="$1" npm run --silent vitest -- run --project acceptance "${tests[@]}"
}
