#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/kafka/captures with librdkafka and the cluster that it brings
# for tests. Needs Debian's librdkafka-dev, gcc and tcpdump; run as root. The goldens are then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/kafka
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${CAPTURES_TO:-$here/../../packages/dissect/src/protocols}/kafka/captures
work=$(mktemp -d /tmp/kafka-captures.XXXXXX)
dump=
stop() {
  if [ -n "$dump" ]; then kill "$dump" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap stop EXIT
mkdir -p "$out"
gcc -O1 -o "$work/talk" "$here/kafka-talk.c" -lrdkafka

for scene in calls errors oneway; do
  # The cluster chooses its port: everything is recorded, and what is not its own is left out afterwards.
  tcpdump -i lo -s 0 -U -B 8192 -w "$work/all.pcap" tcp 2>"$work/tcpdump.log" &
  dump=$!
  until grep -q listening "$work/tcpdump.log"; do sleep 0.1; done
  port=$(timeout 60 "$work/talk" "$scene" 2>"$work/talk.log") || cat "$work/talk.log" >&2
  sleep 1
  kill -INT "$dump"
  wait "$dump" || true
  dump=
  tcpdump -r "$work/all.pcap" -w "$out/$scene.pcap" "tcp port $port" 2>/dev/null
  ls -l "$out/$scene.pcap"
done
