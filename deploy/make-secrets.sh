#!/bin/sh
# Creates the missing secrets that docker-compose.yml mounts, in ./secrets; existing ones stay. Only its owner can open the folder. The files
# in it are readable for every user, because containers run as other users.
set -eu
cd "$(dirname "$0")/.."
mkdir -p secrets
chmod 700 secrets
umask 333
make() { test -s "secrets/$1" || printf '%s' "$2" > "secrets/$1"; }
make mongo_root_password "$(openssl rand -hex 24)"
make mongo_password "$(openssl rand -hex 24)"
make mongodb_uri "mongodb://gateway:$(cat secrets/mongo_password)@mongo1:27017,mongo2:27017,mongo3:27017/credential_gateway?replicaSet=rs0&authSource=admin"
make admin_api_key "$(openssl rand -hex 32)"
make keystore_key "$(openssl rand -base64 32)"
# The address of the mail server, if there is one, is for its owner to write.
umask 133
test -e secrets/smtp_url || : > secrets/smtp_url
echo 'The secrets are in ./secrets; keep a copy of keystore_key: what it seals cannot be read without it.'
