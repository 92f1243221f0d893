#!/bin/bash
# An S3 server of another maker for the tests: OpenStack Swift with its S3 interface, one disk (a folder, whose file system needs extended attributes), on loopback.
#   apt-get install --no-install-recommends swift-proxy swift-account swift-container swift-object memcached curl
#   test/s3/swift.sh /var/tmp/swift          # starts it; `kill $(cat /var/tmp/swift/*.pid)` stops it
#   export TAPDECK_S3_ENDPOINT=http://127.0.0.1:8089 AWS_ACCESS_KEY_ID=test:tester AWS_SECRET_ACCESS_KEY=not-a-secret
#   npx vitest run any-server && npx vitest run --config vitest.e2e.config.ts bucket-kills
set -euo pipefail
folder=${1:?a folder that does not exist yet}
mkdir -p "$folder"/{disk/d1,log}
cd "$folder"

cat > swift.conf <<CONF
[swift-hash]
swift_hash_path_prefix = tests
swift_hash_path_suffix = tests
[storage-policy:0]
name = one
default = yes
CONF

start() {
  "swift-$1-server" "$folder/$1.conf" > "$folder/log/$1.log" 2>&1 < /dev/null &
  echo $! > "$folder/$1.pid"
}

for server in account:16202 container:16201 object:16200; do
  name=${server%%:*} port=${server##*:}
  cat > "$name.conf" <<CONF
[DEFAULT]
devices = $folder/disk
mount_check = false
bind_ip = 127.0.0.1
bind_port = $port
workers = 2
user = $(id -un)
swift_dir = $folder
[pipeline:main]
pipeline = $name-server
[app:$name-server]
use = egg:swift#$name
CONF
  swift-ring-builder "$name.builder" create 4 1 1
  swift-ring-builder "$name.builder" add "r1z1-127.0.0.1:$port/d1" 1
  swift-ring-builder "$name.builder" rebalance
  start "$name"
done

memcached -u nobody -l 127.0.0.1 -p 16211 > log/memcached.log 2>&1 < /dev/null &
echo $! > memcached.pid

cat > proxy.conf <<CONF
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = 8089
workers = 2
user = $(id -un)
swift_dir = $folder
[pipeline:main]
pipeline = catch_errors cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:16211
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = not-a-secret .admin
$(for name in catch_errors listing_formats bulk copy slo dlo versioned_writes symlink; do
  printf '[filter:%s]\nuse = egg:swift#%s\n' "$name" "$name"
done)
CONF
start proxy

url=http://127.0.0.1:8089
for _ in $(seq 60); do
  token=$(curl -si -H 'X-Auth-User: test:tester' -H 'X-Auth-Key: not-a-secret' "$url/auth/v1.0" | tr -d '\r' | awk '/^X-Auth-Token:/ { print $2 }') || true
  if [ -n "$token" ] && curl -sf -X PUT -H "X-Auth-Token: $token" "$url/v1/AUTH_test/tests" -o /dev/null; then
    echo "Swift answers at $url, with the bucket \"tests\""
    exit
  fi
  sleep 1
done
echo "Swift did not begin to answer; see $folder/log" >&2
exit 1
