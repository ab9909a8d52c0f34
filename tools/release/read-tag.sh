#!/usr/bin/env bash
# Reads a tag such as notify-svc-v0.2.0 and prints app=… and version=…; refuses one that is not the app's version and in its change log.
# platformctl is released alike; it lies in tools/.
set -euo pipefail
tag="${1:?a tag such as notify-svc-v0.2.0}"
cd "$(dirname "$0")/../.."
if ! [[ "$tag" =~ ^([a-z-]+)-v([0-9]+\.[0-9]+\.[0-9]+)$ ]]; then echo "$tag is not <app>-v<major>.<minor>.<patch>" >&2; exit 1; fi
app="${BASH_REMATCH[1]}" version="${BASH_REMATCH[2]}"
folder="apps/$app"
if [ "$app" = platformctl ]; then folder="tools/platformctl"; fi
if [ ! -f "$folder/package.json" ]; then echo "there is no app $app" >&2; exit 1; fi
packaged="$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$folder/package.json")"
if [ "$packaged" != "$version" ]; then echo "$folder/package.json has version $packaged, not $version" >&2; exit 1; fi
if ! grep -qF "## $version" "$folder/CHANGELOG.md"; then echo "$folder/CHANGELOG.md has no section $version" >&2; exit 1; fi
printf 'app=%s\nversion=%s\n' "$app" "$version"
