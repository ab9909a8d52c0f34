#!/usr/bin/env bash
# Reads a tag such as notify-svc-v0.2.0 and prints app=… and version=…; refuses one that is not the app's version and in its change log.
set -euo pipefail
tag="${1:?a tag such as notify-svc-v0.2.0}"
cd "$(dirname "$0")/../.."
if ! [[ "$tag" =~ ^([a-z-]+)-v([0-9]+\.[0-9]+\.[0-9]+)$ ]]; then echo "$tag is not <app>-v<major>.<minor>.<patch>" >&2; exit 1; fi
app="${BASH_REMATCH[1]}" version="${BASH_REMATCH[2]}"
if [ ! -f "apps/$app/package.json" ]; then echo "there is no app $app" >&2; exit 1; fi
packaged="$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "apps/$app/package.json")"
if [ "$packaged" != "$version" ]; then echo "apps/$app/package.json has version $packaged, not $version" >&2; exit 1; fi
if ! grep -qF "## $version" "apps/$app/CHANGELOG.md"; then echo "apps/$app/CHANGELOG.md has no section $version" >&2; exit 1; fi
printf 'app=%s\nversion=%s\n' "$app" "$version"
