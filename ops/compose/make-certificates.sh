#!/bin/sh
# Creates the certificates of mutual TLS for compose.yaml: an authority, and a folder for each process, which has access only to its own folder. Does nothing
# if they are valid for another 30 days. Usage: make-certificates.sh FOLDER
set -eu
umask 077
folder=$1
# rendered from libs/contracts/src/services.ts: names
names="gateway identity-svc files-svc notify-svc events-svc ads-svc console operator"
# end of rendered lines
days=365

is_fresh() {
  for name in $names; do
    openssl x509 -checkend 2592000 -noout -in "$folder/$name/tls.crt" >/dev/null 2>&1 || return 1
  done
}
if is_fresh; then exit 0; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
openssl req -x509 -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days "$days" -subj "/CN=platform" \
  -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign" \
  -keyout "$work/ca.key" -out "$work/ca.crt" 2>/dev/null
for name in $names; do
  # Other processes recognize a process by this URI. `operator` also calls from the host.
  {
    echo "subjectAltName=DNS:$name,DNS:localhost,URI:spiffe://platform/$name"
    echo "basicConstraints=critical,CA:FALSE"
    echo "keyUsage=critical,digitalSignature"
    echo "extendedKeyUsage=serverAuth,clientAuth"
  } >"$work/extensions"
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
    -keyout "$work/tls.key" -out "$work/tls.csr" 2>/dev/null
  openssl x509 -req -in "$work/tls.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial -sha256 -days "$days" \
    -extfile "$work/extensions" -out "$work/tls.crt" 2>/dev/null
  mkdir -p "$folder/$name"
  cp "$work/ca.crt" "$work/tls.key" "$work/tls.crt" "$folder/$name/"
  # Processes run as nobody. The authority's key is not kept, so no further certificate can be issued later.
  chmod 0500 "$folder/$name"
  chmod 0400 "$folder/$name"/*
  if [ "$(id -u)" = 0 ]; then chown -R 65534:65534 "$folder/$name"; fi
done
