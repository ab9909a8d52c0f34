#!/usr/bin/env bash
# Sets the version of one app in every overlay that names versions, and of no other app.
set -euo pipefail
app="${1:?an app}" version="${2:?a version}"
cd "$(dirname "$0")/../.."
for overlay in staging production; do
  file="k8s/overlays/$overlay/common/kustomization.yaml"
  grep -q "name: platform/$app," "$file" || { echo "$file names no $app" >&2; exit 1; }
  sed -i "/name: platform\/$app,/s/newTag: \"[^\"]*\"/newTag: \"$version\"/" "$file"
done
