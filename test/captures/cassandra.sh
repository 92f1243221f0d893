#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/cassandra/captures: a client and a server in Python, whose messages
# are written after the specification of the native protocol, versions 3, 4 and 5. Needs python3 and tcpdump; run as root.
# The goldens are then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/cassandra
protocol=cassandra
. "$(dirname "$0")/scene.sh"
port=19042
cat > "$work/talk.py" <<'PY'
import socket, struct, sys, time, zlib
def short(n): return struct.pack('!H', n)
def num(n): return struct.pack('!i', n)
def string(s): return short(len(s.encode())) + s.encode()
def long_string(s): return num(len(s.encode())) + s.encode()
def strings(*all): return short(len(all)) + b''.join(map(string, all))
def string_map(m): return short(len(m)) + b''.join(string(k) + string(v) for k, v in m.items())
def value(v): return num(-1) if v is None else num(len(v)) + v
def short_bytes(b): return short(len(b)) + b
ERROR, STARTUP, READY, AUTHENTICATE, OPTIONS, SUPPORTED, QUERY, RESULT, PREPARE, EXECUTE, REGISTER, EVENT, BATCH, \
    CHALLENGE, RESPONSE, SUCCESS = 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
QUORUM, ONE, LOCAL_SERIAL = 4, 1, 9
ID = bytes(range(16))
META = bytes(range(16, 32))
def lz4(data):
    """Greedy, with a table of the last place of four bytes; the last five bytes are literals."""
    out, seen, at, anchor = b'', {}, 0, 0
    def run(n): return b'' if n < 15 else b'\xff' * ((n - 15) // 255) + bytes([(n - 15) % 255])
    while at + 12 < len(data):
        back = seen.get(data[at:at + 4])
        seen[data[at:at + 4]] = at
        if back is None or at - back > 65535:
            at += 1
            continue
        size = 4
        while at + size < len(data) - 5 and data[back + size] == data[at + size]: size += 1
        lit = data[anchor:at]
        out += bytes([min(len(lit), 15) << 4 | min(size - 4, 15)]) + run(len(lit)) + lit + struct.pack('<H', at - back)
        if size >= 19: out += run(size - 4)
        at += size
        anchor = at
    lit = data[anchor:]
    return out + bytes([min(len(lit), 15) << 4]) + run(len(lit)) + lit
def snappy(data):
    out, n = b'', len(data)
    while n > 127: out, n = out + bytes([n & 127 | 128]), n >> 7
    out += bytes([n])
    for i in range(0, len(data), 60): out += bytes([len(data[i:i + 60]) - 1 << 2]) + data[i:i + 60]
    return out
def crc24(data):
    crc = 0x875060
    for byte in data:
        crc ^= byte << 16
        for _ in range(8):
            crc <<= 1
            if crc & 0x1000000: crc ^= 0x1974f0b
    return crc.to_bytes(3, 'little')
def segment(payload, alone=True, packed=False):
    if packed:
        small = lz4(payload)
        whole = len(payload)
        if len(small) >= len(payload): small, whole = payload, 0
        head = (len(small) | whole << 17 | alone << 34).to_bytes(5, 'little')
    else:
        small = payload
        head = (len(payload) | alone << 17).to_bytes(3, 'little')
    crc = zlib.crc32(small, zlib.crc32(b'\xfa\x2d\x55\xca'))
    return head + crc24(head) + small + crc.to_bytes(4, 'little')
class Talk:
    """A connection: both ends of it."""
    def __init__(self, port, version, compression=None):
        self.version, self.compression, self.framed = version, compression, False
        server = socket.create_server(('127.0.0.1', port))
        self.client = socket.create_connection(('127.0.0.1', port))
        self.server, _ = server.accept()
        server.close()
        for s in (self.client, self.server): s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    def envelope(self, side, opcode, body, stream, flags=0):
        if self.version < 5 and self.compression and self.framed and body and opcode != EVENT:
            flags |= 1
            body = num(len(body)) + lz4(body) if self.compression == 'lz4' else snappy(body)
        return struct.pack('!BBhBI', self.version | side << 7, flags, stream, opcode, len(body)) + body
    def say(self, side, *messages):
        parts = [self.envelope(side, *m) for m in messages]
        data = b''.join(parts)
        if self.version == 5 and self.framed:
            packed = self.compression == 'lz4'
            if len(data) > 131071:
                data = b''.join(segment(data[i:i + 131071], False, packed) for i in range(0, len(data), 131071))
            else: data = segment(data, True, packed)
        s, t = (self.client, self.server) if side == 0 else (self.server, self.client)
        s.sendall(data)
        left = len(data)
        while left: left -= len(t.recv(left))
        time.sleep(0.002)
    def ask(self, opcode, body, answer, reply, stream=1, flags=0, answer_flags=0):
        self.say(0, (opcode, body, stream, flags))
        self.say(1, (answer, reply, stream, answer_flags))
    def close(self):
        self.client.close()
        time.sleep(0.01)
        self.server.close()
    def flags(self, n): return struct.pack('!I', n) if self.version == 5 else bytes([n])
    def query(self, text, values=(), level=ONE, page=None, extra=0, rest=b''):
        n = (1 if values else 0) | (4 if page else 0) | extra
        return long_string(text) + self.parameters(n, values, level, page, rest)
    def parameters(self, n, values, level, page, rest=b''):
        return short(level) + self.flags(n) + (short(len(values)) + b''.join(map(value, values)) if values else b'') + \
            (num(page) if page else b'') + rest
    def execute(self, values, level=ONE, page=None, id=ID):
        meta = short_bytes(META) if self.version == 5 else b''
        n = 2 | (1 if values else 0) | (4 if page else 0)
        return short_bytes(id) + meta + self.parameters(n, values, level, page)
    def prepared(self, marks, columns):
        meta = short_bytes(META) if self.version == 5 else b''
        keys = num(1) + short(0) if self.version >= 4 else b''
        spec = string('shop') + string('orders')
        return num(4) + short_bytes(ID) + meta + num(1) + num(len(marks)) + keys + spec + \
            b''.join(string(n) + t for n, t in marks) + \
            num(1) + num(len(columns)) + spec + b''.join(string(n) + t for n, t in columns)
INT, TEXT, UUID = short(9), short(13), short(12)
def rows(columns, *all, table='orders', more=None):
    flags = 1 | (2 if more else 0)
    return num(2) + num(flags) + num(len(columns)) + (value(more) if more else b'') + string('shop') + string(table) + \
        b''.join(string(n) + t for n, t in columns) + num(len(all)) + b''.join(b''.join(map(value, r)) for r in all)
def bare_rows(count, *all): return num(2) + num(4) + num(count) + num(len(all)) + b''.join(b''.join(map(value, r)) for r in all)
VOID = num(1)
def error(code, text, rest=b''): return num(code) + string(text) + rest
def begin(t, compression=None, auth=False):
    options = {'CQL_VERSION': '3.0.0', 'DRIVER_NAME': 'Hand-made'}
    if compression: options['COMPRESSION'] = compression
    t.ask(OPTIONS, b'', SUPPORTED, short(2) + string('CQL_VERSION') + strings('3.4.5') +
          string('COMPRESSION') + strings('snappy', 'lz4'), 0)
    t.say(0, (STARTUP, string_map(options), 0))
    if auth: t.say(1, (AUTHENTICATE, string('org.apache.cassandra.auth.PasswordAuthenticator'), 0))
    else: t.say(1, (READY, b'', 0))
    t.framed = True
def work(t):
    t.ask(QUERY, t.query('USE shop'), RESULT, num(3) + string('shop'))
    t.ask(PREPARE, long_string('SELECT id, item FROM orders WHERE id = ?') + (num(0) if t.version == 5 else b''), RESULT,
          t.prepared([('id', INT)], [('id', INT), ('item', TEXT)]), 2)
    t.say(0, *((EXECUTE, t.execute([num(i)], page=100), 10 + i) for i in range(3)))
    t.say(1, *((RESULT, bare_rows(2, [num(i), b'item %d' % i]), 10 + i) for i in (2, 0, 1)))
    for i in range(8):
        t.ask(QUERY, t.query(f'SELECT * FROM orders WHERE id = {i}'), RESULT,
              rows([('id', INT), ('item', TEXT)], [num(i), b'pen'], [num(i + 1), None]), 20 + i)
    t.ask(QUERY, t.query('INSERT INTO orders (id, item) VALUES (?, ?)', [num(7), b'ink'], QUORUM), RESULT, VOID, 3)
def plain(port):
    t = Talk(port, 4)
    begin(t, auth=True)
    t.ask(RESPONSE, value(b'\0app\0secret'), CHALLENGE, value(b'more'), 1)
    t.ask(RESPONSE, value(b'\0app\0secret'), SUCCESS, value(None), 1)
    t.ask(REGISTER, strings('TOPOLOGY_CHANGE', 'STATUS_CHANGE', 'SCHEMA_CHANGE'), READY, b'', 2)
    change = string('CREATED') + string('TABLE') + string('shop') + string('orders')
    t.ask(QUERY, t.query('CREATE TABLE shop.orders (id int PRIMARY KEY, item text)'), RESULT, num(5) + change, 3)
    t.say(1, (EVENT, string('SCHEMA_CHANGE') + change, -1))
    work(t)
    t.say(1, (EVENT, string('STATUS_CHANGE') + string('DOWN') + b'\4\x0a\0\0\5' + num(9042), -1))
    t.say(1, (EVENT, string('TOPOLOGY_CHANGE') + string('NEW_NODE') + b'\x10' + b'\xfd' + bytes(14) + b'\5' + num(9042), -1))
    t.ask(QUERY, t.query('UPDATE orders SET item = ? WHERE id = 7 IF item = ?', [b'nib', b'ink'], QUORUM, extra=0x30,
          rest=short(LOCAL_SERIAL) + struct.pack('!q', 1700000000000000)), RESULT,
          rows([('[applied]', short(4))], [b'\1']), 4)
    columns = [('a', short(1)), ('b', short(2)), ('c', short(3)), ('d', short(4)), ('e', short(5)), ('f', short(6)),
        ('g', short(7)), ('h', short(8)), ('i', short(11)), ('j', UUID), ('k', short(14)), ('l', short(16)), ('m', short(17)),
        ('n', short(18)), ('o', short(19)), ('p', short(20)), ('q', short(0x20) + INT), ('r', short(0x21) + TEXT + INT),
        ('s', short(0x22) + TEXT), ('t', short(0x30) + string('shop') + string('address') + short(2) + string('street') + TEXT +
        string('number') + INT), ('u', short(0x31) + short(2) + INT + TEXT), ('v', short(15)), ('w', short(0) + string('x.Y'))]
    row = [b'ascii', struct.pack('!q', -2 ** 53), b'\0\1\2', b'\1', struct.pack('!q', 9), num(2) + b'\xcf\xc7',
        struct.pack('!d', 1.5), struct.pack('!f', 0.1), struct.pack('!q', 1700000000123), bytes(range(16)), b'\xff\x7f',
        b'\x0a\0\0\7', struct.pack('!I', 2 ** 31 + 19000), struct.pack('!q', 45296000000007), struct.pack('!h', -2), b'\xfe',
        num(2) + value(num(1)) + value(num(2)), num(1) + value(b'k') + value(num(5)), num(1) + value(b's'),
        value('Hauptstraße'.encode()) + value(num(12)), value(num(1)) + value(b't'), bytes(range(16, 32)), b'\xca\xfe']
    t.ask(QUERY, t.query('SELECT * FROM kinds', page=1), RESULT, rows(columns, row, table='kinds', more=b'page2'), 5)
    t.ask(QUERY, t.query('SELECT * FROM kinds', page=1, extra=8, rest=b''.join([value(b'page2')])), RESULT,
          rows([('a', TEXT)], table='kinds'), 5)
    batch = b'\1' + short(3) + b'\0' + long_string("INSERT INTO orders (id) VALUES (8)") + short(0) + \
        b'\0' + long_string('INSERT INTO orders (id, item) VALUES (?, ?)') + short(2) + value(num(9)) + value(b'cap') + \
        b'\1' + short_bytes(ID) + short(1) + value(num(3)) + short(QUORUM) + b'\0'
    t.ask(BATCH, batch, RESULT, VOID, 6)
    tracing = bytes.fromhex('67c6a0805cb911eebe560242ac120002')
    t.ask(QUERY, t.query('SELECT count(*) FROM orders'), RESULT, tracing + strings('Aggregation query used without partition key') +
          rows([('count', short(2))], [struct.pack('!q', 9)]), 7, 2, 2 | 8)
    t.ask(QUERY, t.query('SELEKT 1'), ERROR, error(0x2000, "line 1:0 no viable alternative at input 'SELEKT'"), 8)
    t.ask(QUERY, t.query('SELECT * FROM nothing'), ERROR, error(0x2200, 'table nothing does not exist'), 8)
    t.ask(QUERY, t.query('INSERT INTO orders (id) VALUES (1)', level=QUORUM), ERROR,
          error(0x1100, 'Operation timed out', short(QUORUM) + num(1) + num(2) + string('SIMPLE')), 8)
    t.ask(QUERY, t.query('SELECT * FROM orders', level=QUORUM), ERROR,
          error(0x1000, 'Cannot achieve consistency level QUORUM', short(QUORUM) + num(2) + num(1)), 8)
    t.ask(QUERY, t.query('CREATE KEYSPACE shop'), ERROR, error(0x2400, 'Keyspace exists', string('shop') + string('')), 8)
    t.ask(EXECUTE, t.execute([], id=bytes(16)), ERROR, error(0x2500, 'Prepared query not found', short_bytes(bytes(16))), 8)
    t.close()
    t = Talk(port, 4)
    begin(t, auth=True)
    t.ask(RESPONSE, value(b'\0app\0wrong'), ERROR, error(0x100, 'Provided username app and/or password are incorrect'), 1)
    t.close()
    t = Talk(port, 5)
    t.say(0, (STARTUP, string_map({'CQL_VERSION': '3.0.0'}), 0))
    t.version = 4
    t.say(1, (ERROR, error(0x0a, 'Invalid or unsupported protocol version (5)'), 0))
    t.close()
def compressed(port):
    for version, compression in ((4, 'lz4'), (3, 'snappy')):
        t = Talk(port, version, compression)
        begin(t, compression)
        work(t)
        t.close()
def segments(port):
    for compression in (None, 'lz4'):
        t = Talk(port, 5, compression)
        begin(t, compression, auth=compression is not None)
        if compression: t.ask(RESPONSE, value(b'\0app\0secret'), SUCCESS, value(None), 1)
        work(t)
        if compression:
            # Too long for one segment, both ways.
            t.ask(QUERY, t.query('INSERT INTO orders (id, item) VALUES (1, ?)', [b'long ' * 30000]), RESULT, VOID, 4)
            t.ask(QUERY, t.query('SELECT item FROM orders'), RESULT, rows([('item', TEXT)], *[[b'item' * 1000]] * 80), 5)
        t.ask(QUERY, t.query('SELEKT 1'), ERROR, error(0x2000, 'line 1:0 no viable alternative'), 8)
        t.close()
{'plain': plain, 'compressed': compressed, 'segments': segments}[sys.argv[2]](int(sys.argv[1]))
PY
filter="tcp port $port"
for name in plain compressed segments; do
  runs=(python3 "$work/talk.py" "$port" "$name")
  record "$name" </dev/null
done
