#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/icmp/captures: three hosts in network namespaces of their own,
# the middle one a router, and what their kernels answer. Needs iproute2, python3 and tcpdump; run as root. The goldens
# are then written with   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/icmp
protocol=icmp
. "$(dirname "$0")/scene.sh"
a=icmp-a-$$ r=icmp-r-$$ b=icmp-b-$$
end() {
  for name in "$a" "$r" "$b"; do ip netns del "$name" 2>/dev/null || true; done
}
tap=(ip netns exec "$a" tcpdump -i toward)
runs=(ip netns exec "$a" python3 "$work/say.py")
filter='icmp or icmp6'
for name in "$a" "$r" "$b"; do
  ip netns add "$name"
  ip -n "$name" link set lo up
done
ip -n "$a" link add toward type veth peer name left netns "$r"
ip -n "$b" link add toward type veth peer name right netns "$r"
ip -n "$r" link set right mtu 1300
for end in "$a toward 10.77.1.1/24 fd77:1::1/64" "$r left 10.77.1.254/24 fd77:1::254/64" \
  "$r right 10.77.2.254/24 fd77:2::254/64" "$b toward 10.77.2.1/24 fd77:2::1/64"; do
  read -r name link four six <<<"$end"
  ip -n "$name" addr add "$four" dev "$link"
  ip -n "$name" addr add "$six" dev "$link" nodad
  ip -n "$name" link set "$link" up
done
for name in "$a 1" "$b 2"; do
  read -r host net <<<"$name"
  ip -n "$host" route add default via "10.77.$net.254"
  ip -n "$host" -6 route add default via "fd77:$net::254"
done
ip netns exec "$r" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding
echo 0 >/proc/sys/net/ipv4/icmp_ratelimit; echo 0 >/proc/sys/net/ipv6/icmp/ratelimit'
ip netns exec "$b" sh -c 'echo 0 >/proc/sys/net/ipv4/icmp_ratelimit; echo 0 >/proc/sys/net/ipv6/icmp/ratelimit'
ip -n "$r" route add prohibit 10.98.0.0/16
ip -n "$r" route add unreachable 10.97.0.0/16

# Until the kernels are sure of their link-local addresses they answer nobody.
sleep 3

cat >"$work/say.py" <<'PY'
import socket, struct, sys, time
def checksum(data):
    total = sum(struct.unpack(f'!{len(data) // 2}H', data[:len(data) // 2 * 2])) + (data[-1] << 8 if len(data) % 2 else 0)
    while total >> 16: total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff
def icmp4(to, kind, rest, ttl=64, whole=False):
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
    if whole: s.setsockopt(socket.IPPROTO_IP, 10, 3)  # IP_MTU_DISCOVER, IP_PMTUDISC_PROBE
    data = struct.pack('!BBH', kind, 0, 0) + rest
    s.sendto(struct.pack('!BBH', kind, 0, checksum(data)) + rest, (to, 0))
    s.close()
def icmp6(to, kind, rest, hops=64):
    s = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, hops)
    s.sendto(struct.pack('!BBH', kind, 0, 0) + rest, (to, 0))
    s.close()
def echo(to, number, sequence, data=b'abcdefghijklmnopqrstuvwxyz', **more):
    rest = struct.pack('!HH', number, sequence) + data
    (icmp6 if ':' in to else icmp4)(to, 128 if ':' in to else 8, rest, **more)
    time.sleep(0.02)
def udp(to, port, ttl=64):
    s = socket.socket(socket.AF_INET6 if ':' in to else socket.AF_INET, socket.SOCK_DGRAM)
    if ':' in to: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, ttl)
    else: s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
    s.sendto(b'anybody there?', (to, port))
    time.sleep(0.02)
    s.close()
exec(sys.stdin.read())
PY

record echo <<'PY'
for to in ('10.77.2.1', 'fd77:2::1'):
    for sequence in range(1, 5): echo(to, 7, sequence)
    echo(to, 8, 1); echo(to, 7, 5); echo(to, 7, 5)
    echo(to, 9, 1, b''); echo(to, 9, 2, bytes(range(256)) * 4)
icmp4('10.77.2.1', 13, struct.pack('!HHIII', 11, 1, 1000, 0, 0))
echo('10.77.1.254', 10, 1)
PY
record errors <<'PY'
udp('10.77.2.1', 9); udp('fd77:2::1', 9)
udp('10.77.2.1', 9, ttl=1); udp('fd77:2::1', 9, ttl=1)
echo('10.77.2.1', 21, 1, ttl=1); echo('fd77:2::1', 21, 1, hops=1)
echo('10.98.1.1', 22, 1); echo('10.97.1.1', 22, 2); echo('10.96.1.1', 22, 3); echo('fd99::1', 22, 4)
icmp4('10.77.2.1', 8, struct.pack('!HH', 23, 1) + bytes(1350), whole=True); time.sleep(0.1)
echo('fd77:2::1', 23, 2, bytes(1350))
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM); s.settimeout(1)
try: s.connect(('10.98.1.2', 80))
except OSError: pass
echo('10.77.2.99', 24, 1); time.sleep(3.5)
PY
