#!/bin/sh
# Writes the images that docker-compose.yml builds on into .env by digest, as the registry has them now; run it to take an update.
# With --check nothing is written: it fails when an image of .env has no digest (for CI).
set -eu
cd "$(dirname "$0")/.."
touch .env
pin() {
  if [ "$check" = yes ]; then
    grep -Eq "^$1=.+@sha256:[0-9a-f]{64}\$" .env || { echo "$1 in .env has no digest: run deploy/pin-images.sh" >&2; exit 1; }
    return
  fi
  digest=$(docker buildx imagetools inspect "$2" --format '{{.Manifest.Digest}}')
  grep -v "^$1=" .env > .env.new || true
  echo "$1=$2@$digest" >> .env.new
  mv .env.new .env
}
check=no
[ "${1:-}" = --check ] && check=yes
pin MONGO_IMAGE mongo:8.0
pin NGINX_IMAGE nginx:1.28-alpine
pin NODE_IMAGE node:22-bookworm-slim
