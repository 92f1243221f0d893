# Sourced by the scripts beside it, which name their `protocol` first: where its captures go, a folder to work in that is gone
# afterwards, and a recorder. A script may change `tap` (what records), `filter` (what of it) and `runs` (what reads the
# scenes), and say in `end` how the servers that it started are stopped.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${CAPTURES_TO:-$here/../../packages/dissect/src/protocols}/$protocol/captures
work=$(mktemp -d "/tmp/$protocol-captures.XXXXXX")
tap=(tcpdump -i lo -B 8192)
runs=(bash -s)
dump=
end() { :; }
stop() {
  if [ -n "$dump" ]; then kill "$dump" 2>/dev/null || true; fi
  end
  rm -rf "$work"
}
trap stop EXIT
mkdir -p "$out"

listen() { # file, filter: records from now on
  rm -f "$work/tcpdump.log"
  "${tap[@]}" -s 0 -U --immediate-mode -w "$1" "$2" 2>"$work/tcpdump.log" &
  dump=$!
  until grep -qs listening "$work/tcpdump.log"; do sleep 0.1; done
  sleep 0.3
}
hear() { # what comes within a second is the last that is recorded
  sleep 1
  kill -INT "$dump"
  wait "$dump" || true
  dump=
}
record() { # name: what stands on standard input is run meanwhile
  listen "$work/$1.pcap" "$filter"
  timeout 60 "${runs[@]}" >"$work/$1.log" 2>&1 || echo "$1: its last command failed" >&2
  hear
  cp "$work/$1.pcap" "$out/$1.pcap"
  ls -l "$out/$1.pcap"
}
end_process() { # a process of the script, if it was started; comes back when it is gone
  if [ -n "$1" ]; then
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
  fi
}
