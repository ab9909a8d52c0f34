#!/usr/bin/env bash
# Sets the version of one app in every overlay that names versions, and of no other app. An overlay whose images are built where it runs names none.
set -euo pipefail
app="${1:?an app}" version="${2:?a version}"
cd "$(dirname "$0")/../.."
for file in k8s/overlays/*/common/kustomization.yaml; do
  grep -qE 'newTag: "[0-9]+\.' "$file" || continue
  grep -q "name: platform/$app," "$file" || { echo "$file names no $app" >&2; exit 1; }
  sed -i "/name: platform\/$app,/s/newTag: \"[^\"]*\"/newTag: \"$version\"/" "$file"
done
