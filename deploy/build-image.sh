#!/usr/bin/env bash
# Builds the gateway's image with buildah, without Docker and its daemon, and tries it: deploy/build-image.sh [tag]. As root.
# BASE_FROM_DEBIAN=1 makes the base with debootstrap and this machine's node and npm, where no registry of images can be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
tag=${1:-credential-gateway}
base=${NODE_IMAGE:-docker.io/library/node:22-bookworm-slim}

# Names every program that is missing, before anything is built.
require() {
  local missing=()
  for program in "$@"; do command -v "$program" >/dev/null || missing+=("$program"); done
  [ ${#missing[@]} -eq 0 ] && return
  echo "build-image.sh needs programs that are not installed: ${missing[*]}. On Debian: apt-get install ${missing[*]/node/nodejs}" >&2
  exit 1
}
require buildah git
[ -z "${BASE_FROM_DEBIAN:-}" ] || require debootstrap node npm

# A Debian with node, npm and the user of node's own images.
make_base() {
  local root
  root=$(mktemp -d)
  debootstrap --variant=minbase --include=ca-certificates,libstdc++6 bookworm "$root"
  install -m 755 "$(readlink -f "$(command -v node)")" "$root/usr/bin/node"
  mkdir -p "$root/usr/lib/node_modules"
  cp -a "$(npm root -g)/npm" "$root/usr/lib/node_modules/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/bin/npx"
  chroot "$root" useradd --uid 1000 --create-home node
  local container
  container=$(buildah from scratch)
  buildah copy --quiet "$container" "$root" /
  buildah commit --quiet --rm "$container" gateway-base
  rm -rf "$root"
}

if [ -n "${BASE_FROM_DEBIAN:-}" ]; then
  make_base
  base=localhost/gateway-base
fi
# Behind a proxy with a certificate of its own, which node of this machine trusts by NODE_EXTRA_CA_CERTS.
trust=()
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  npmrc=$(mktemp)
  echo 'cafile=/run/ca.pem' >"$npmrc"
  trust=(--volume "$NODE_EXTRA_CA_CERTS:/run/ca.pem:ro" --volume "$npmrc:/root/.npmrc:ro")
fi
buildah build --format docker "${trust[@]}" --layers --network host --build-arg NODE_IMAGE="$base" \
  --build-arg GATEWAY_COMMIT="$(git describe --always --abbrev=12 --exclude='*' 2>/dev/null || true)" --tag "$tag" .
container=$(buildah from "$tag")
trap 'buildah rm "$container" >/dev/null' EXIT
buildah run "$container" -- node dist/cli/main.js --version
