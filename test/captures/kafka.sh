#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/kafka/captures with librdkafka and the cluster that it brings
# for tests. Needs Debian's librdkafka-dev, gcc and tcpdump; run as root. The goldens are then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/kafka
protocol=kafka
. "$(dirname "$0")/scene.sh"
gcc -O1 -o "$work/talk" "$here/kafka-talk.c" -lrdkafka

for scene in calls errors oneway; do
  # The cluster chooses its port: everything is recorded, and what is not its own is left out afterwards.
  listen "$work/all.pcap" tcp
  port=$(timeout 60 "$work/talk" "$scene" 2>"$work/talk.log") || cat "$work/talk.log" >&2
  hear
  tcpdump -r "$work/all.pcap" -w "$out/$scene.pcap" "tcp port $port" 2>/dev/null
  ls -l "$out/$scene.pcap"
done
