#!/bin/bash
# Makes the capture of packages/dissect/src/protocols/diameter/captures: two peers in Python, whose messages are written
# after RFC 6733, RFC 8506 and 3GPP TS 29.272. Needs python3 and tcpdump; run as root. The golden is then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/diameter
protocol=diameter
. "$(dirname "$0")/scene.sh"
port=13868
filter="tcp port $port"
runs=(python3 - "$port")
record calls <<'PY'
import socket, struct, sys, time
def avp(code, data, vendor=0, flags=0x40):
    if isinstance(data, str): data = data.encode()
    if isinstance(data, int): data = struct.pack('!I', data)
    extra = struct.pack('!I', vendor) if vendor else b''
    size = 8 + len(extra) + len(data)
    head = struct.pack('!IB', code, flags | (0x80 if vendor else 0)) + size.to_bytes(3, 'big') + extra
    return head + data + b'\0' * (-size % 4)
def message(command, flags, application, hop, *avps):
    body = b''.join(avps)
    return (b'\1' + (20 + len(body)).to_bytes(3, 'big') + bytes([flags]) + command.to_bytes(3, 'big') +
            struct.pack('!III', application, hop, 0xabc00000 + hop) + body)
R, P, E = 0x80, 0x40, 0x20
S6A, CREDIT, TGPP = 16777251, 4, 10415
def names(host): return avp(264, host + '.example.org') + avp(296, 'example.org')
mme, hss = names('mme'), names('hss')
to = avp(293, 'hss.example.org') + avp(283, 'example.org')
def session(number): return avp(263, f'mme.example.org;1;{number}')
def ok(code=2001): return avp(268, code)
def group(code, *inner, vendor=0): return avp(code, b''.join(inner), vendor)
def user(number): return avp(1, f'00101012345678{number}')
server = socket.create_server(('127.0.0.1', int(sys.argv[1])))
a = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
b, _ = server.accept()
for s in (a, b): s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
def say(s, *messages):
    s.sendall(b''.join(messages))
    time.sleep(0.02)
peer = avp(257, b'\0\1\x7f\0\0\1') + avp(266, TGPP) + avp(269, 'peer', flags=0) + \
    group(260, avp(266, TGPP), avp(258, S6A)) + avp(258, CREDIT)
say(a, message(257, R, 0, 1, mme, peer, avp(278, 7)))
say(b, message(257, 0, 0, 1, ok(), hss, peer))
say(a, message(280, R, 0, 2, mme))
say(b, message(280, 0, 0, 2, ok(), hss))
# The same identifier from either side: they count for each on its own.
say(b, message(280, R, 0, 2, hss))
say(a, message(280, 0, 0, 2, ok(), mme))
plmn = avp(1407, b'\0\xf1\x10', TGPP)
say(a, message(318, R | P, S6A, 3, session(3), user(1), mme, to, plmn, avp(277, 1),
               group(1408, avp(1410, 1, TGPP), vendor=TGPP)))
say(b, message(318, P, S6A, 3, session(3), ok(), hss, group(1413, group(1414, avp(1447, b'r' * 16, TGPP),
    avp(1448, b'x' * 8, TGPP), avp(1449, b'a' * 16, TGPP), avp(1450, b'k' * 32, TGPP), vendor=TGPP), vendor=TGPP)))
say(a, message(316, R | P, S6A, 4, session(4), user(1), mme, to, plmn, avp(1032, 1004, TGPP), avp(1405, 34, TGPP)))
say(b, message(316, P, S6A, 4, session(4), ok(), hss, avp(1406, 1, TGPP),
               group(1400, avp(701, b'\x21\x43', TGPP), avp(1424, b'z' * 3000, TGPP), vendor=TGPP)))
say(a, message(316, R | P, S6A, 5, session(5), user(9), mme, to, plmn))
say(b, message(316, P, S6A, 5, session(5), group(297, avp(266, TGPP), avp(298, 5001)), hss))
# Answers in another order than their requests.
say(a, *(message(316, R | P, S6A, 10 + i, session(10 + i), user(i), mme, to) for i in range(6)))
say(b, *(message(316, P, S6A, 10 + i, session(10 + i), ok(), hss) for i in (3, 1, 0)))
say(b, *(message(316, P, S6A, 10 + i, session(10 + i), ok(), hss) for i in (5, 2, 4)))
say(b, message(317, R | P, S6A, 77, session(77), user(1), hss, avp(293, 'mme.example.org'), avp(283, 'example.org')))
say(a, message(317, P, S6A, 77, session(77), ok(), mme))
units = group(456, group(437, avp(421, struct.pack('!Q', 5 << 32))), avp(432, 1))
say(a, message(272, R | P, CREDIT, 20, session(20), mme, to, avp(258, CREDIT), avp(461, '32251@3gpp.org'), avp(416, 1),
               avp(415, 0), avp(55, 3909000000), group(443, avp(450, 0), avp(444, '491700000001')), units))
say(b, message(272, P, CREDIT, 20, session(20), ok(4012), hss, avp(258, CREDIT), avp(416, 1), avp(415, 0)))
say(a, message(272, R | P, CREDIT, 21, session(21), mme, to, avp(258, CREDIT), avp(416, 3), avp(415, 1)))
say(b, message(272, P | E, CREDIT, 21, session(21), ok(3004), hss, avp(281, 'too busy', flags=0)))
say(a, message(275, R | P, CREDIT, 22, session(22), mme, to, avp(258, CREDIT), avp(295, 1)))
say(b, message(275, P, CREDIT, 22, session(22), ok(5002), hss))
for i in range(30, 40):
    say(a, message(280, R, 0, i, mme, avp(278, i)))
    say(b, message(280, 0, 0, i, ok(), hss))
say(a, message(282, R, 0, 50, mme, avp(273, 0)))
say(b, message(282, 0, 0, 50, ok(), hss))
a.close()
b.close()
PY
