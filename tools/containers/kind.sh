#!/usr/bin/env bash
# Runs the platform in a Kubernetes cluster on this machine: builds the images, starts the development stores, creates the Secrets, applies the overlay local,
# and runs the acceptance tests from outside. Needs Docker, kind and kubectl. Usage: kind.sh [up] [test] [down]; without arguments up and test.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/containers/lib.sh
SMTP_URL=smtp://mailpit.platform-stores:1025?tls=optional
cluster=platform
namespace=platform-local
state=.local/kind
# The files that this script writes contain secrets.
umask 077
cert_manager=https://github.com/cert-manager/cert-manager/releases/download/v1.18.2/cert-manager.yaml
kubectl() { command kubectl --context "kind-$cluster" "$@"; }
host_of() { echo "$1"; }

secret() { # name, then KEY=VALUE…; what is there stays
  local name="$1" literal
  shift
  kubectl -n "$namespace" get secret "$name" >/dev/null 2>&1 && return
  kubectl -n "$namespace" create secret generic "$name" "${@/#/--from-literal=}" >/dev/null
}

image() { # name, app, library that the image carries besides
  docker build --build-arg "APP=$2" --build-arg "WITH=$3" --tag "platform/$1:dev" .
  kind load docker-image --name "$cluster" "platform/$1:dev"
}

up() {
  kind get clusters | grep -qx "$cluster" || kind create cluster --name "$cluster" --wait 120s
  local app service
  for app in $apps; do image "$app" "$app" ""; done
  for service in $services; do image "$service-backup" "$service" libs/backup; done
  kubectl apply --server-side -f "$cert_manager" >/dev/null
  kubectl -n cert-manager wait --for=condition=Available deployment --all --timeout=180s

  kubectl apply -f k8s/dev-stores/namespace.yaml -f k8s/overlays/local/platform/namespace.yaml
  local access_key secret_key operator_token
  operator_token="$(token)" access_key="$(token | cut -c1-20)" secret_key="$(token)"
  if ! kubectl -n platform-stores get secret s3 >/dev/null 2>&1; then
    kubectl -n platform-stores create secret generic s3 \
      --from-literal="ROOT_ACCESS_KEY=$access_key" --from-literal="ROOT_SECRET_KEY=$secret_key" >/dev/null
    local redis="REDIS_URL=redis://redis.platform-stores:6379" mongo="MONGODB_URI=mongodb://mongo.platform-stores:27017/?replicaSet=rs0"
    local operator="OPERATOR_TOKEN=$operator_token"
    local backup=("BACKUP_S3_ACCESS_KEY_ID=$access_key" "BACKUP_S3_SECRET_ACCESS_KEY=$secret_key")
    secret gateway "$redis"
    secret console "$redis" "CONSOLE_KEY=$(key)"
    local own
    for service in $services; do
      own=()
      case "$service" in
        identity-svc) own=("SMTP_URL=$SMTP_URL") ;;
        files-svc) own=("S3_ACCESS_KEY_ID=$access_key" "S3_SECRET_ACCESS_KEY=$secret_key") ;;
      esac
      secret "$service" "$redis" "$mongo" "$operator" "SERVICE_KEY=$(key)" "${own[@]}" "${backup[@]}"
    done
  fi
  kubectl apply --server-side -k k8s/dev-stores
  kubectl -n platform-stores wait --for=condition=Available deployment --all --timeout=600s
  kubectl apply --server-side -k k8s/overlays/local
  kubectl -n "$namespace" wait --for=condition=Ready certificate --all --timeout=120s
  kubectl -n "$namespace" wait --for=condition=Available deployment --all --timeout=300s
}

from_secret() { kubectl -n "$namespace" get secret "$1" -o "go-template={{index .data \"$2\" | base64decode}}"; }

run_tests() {
  local service file missing=""
  # Certificates contain the names of the services, so these names must resolve to this machine.
  for service in $services; do
    getent hosts "$service" | grep -q '^127\.' || missing="$missing $service"
  done
  if [ -n "$missing" ]; then
    echo "add this line to /etc/hosts: 127.0.0.1$missing" >&2
    exit 1
  fi
  mkdir -p "$state/tls"
  for file in ca.crt tls.crt tls.key; do from_secret operator-tls "$file" >"$state/tls/$file"; done
  write_settings "$state" host_of "$(from_secret identity-svc OPERATOR_TOKEN)"
  forwards=()
  trap 'kill "${forwards[@]}" 2>/dev/null || true' EXIT
  kubectl -n "$namespace" port-forward service/gateway 8080:80 >/dev/null & forwards+=($!)
  for service in $services; do
    kubectl -n "$namespace" port-forward "deployment/$service" "$(port_of "$service")" >/dev/null & forwards+=($!)
  done
  curl --silent --fail --retry 30 --retry-delay 1 --retry-all-errors --output /dev/null http://localhost:8080/api/v1/health
  accept "$state"
}

need docker kind kubectl curl
[ $# -gt 0 ] || set -- up test
for step in "$@"; do
  case "$step" in
    up) up ;;
    test) run_tests ;;
    down) kind delete cluster --name "$cluster" ;;
    *) echo "usage: $0 [up] [test] [down]" >&2; exit 1 ;;
  esac
done
