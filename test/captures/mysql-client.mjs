// A bare client for what the command line client of MariaDB never sends: prepared statements in binary, cursors,
// and the rarer commands. Usage: node mysql-client.mjs PORT [deprecate-eof]
import net from 'node:net'

const [, , port, option] = process.argv
// Long password, connect with database, protocol 4.1, transactions, secure connection, multi results, plugin.
const capabilities =
  0x1 |
  0x8 |
  0x200 |
  0x2000 |
  0x8000 |
  0x10000 |
  0x20000 |
  0x80000 |
  (option === 'deprecate-eof' ? 0x1000000 : 0)

const socket = net.connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
socket.on('error', () => {})
let received = Buffer.alloc(0)
socket.on('data', (data) => {
  received = Buffer.concat([received, data])
})

/** What came until nothing came for a while: this client reads no answers, it only gives the server time. */
async function settle() {
  let before = -1
  while (received.length !== before) {
    before = received.length
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  const all = received
  received = Buffer.alloc(0)
  return all
}

function packet(sequence, ...parts) {
  const payload = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([
    Buffer.from([payload.length, payload.length >> 8, payload.length >> 16, sequence]),
    payload,
  ])
}

async function say(...parts) {
  socket.write(packet(0, ...parts))
  return await settle()
}

const int = (value) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >>> 24) & 255]
const text = (value) => [Buffer.byteLength(value), ...Buffer.from(value)]
const id = (answer) => answer.readUInt32LE(5)

await settle()
socket.write(
  packet(
    1,
    int(capabilities),
    int(0x1000000),
    [45],
    Buffer.alloc(23),
    'tester\0',
    [0],
    'shop\0',
    'mysql_native_password\0',
  ),
)
await settle()
await say([0x0e])
const query = id(
  await say([0x16], 'select id, name, price, added, stock from items where id > ? and name <> ? order by id'),
)
await say([0x17], int(query), [0], int(1), [0], [1], [3, 0, 0xfd, 0], int(0), text('none'))
await say([0x17], int(query), [0], int(1), [0], [0], int(1), text('Käse 🧀'))
await say([0x17], int(query), [0], int(1), [2], [1], [3, 0, 6, 0], int(1))
const insert = id(await say([0x16], 'insert into items (name, price) values (?, ?)'))
await say(
  [0x17],
  int(insert),
  [0],
  int(1),
  [0],
  [1],
  [0xfd, 0, 5, 0],
  text('jam'),
  [0, 0, 0, 0, 0, 0, 0x12, 0x40],
)
socket.write(packet(0, [0x18], int(insert), [0, 0], 'a long name'))
await say([0x17], int(insert), [0], int(1), [0], [1], [0xfd, 0, 5, 0], [0, 0, 0, 0, 0, 0, 0x12, 0x40])
await say([0x1a], int(insert))
await say([0x19], int(insert))
await say(
  [0x17],
  int(insert),
  [0],
  int(1),
  [0],
  [1],
  [0xfd, 0, 5, 0],
  text('late'),
  [0, 0, 0, 0, 0, 0, 0x12, 0x40],
)
const cursor = id(await say([0x16], 'select id from items order by id'))
await say([0x17], int(cursor), [1], int(1))
await say([0x1c], int(cursor), int(2))
await say([0x1c], int(cursor), int(100))
await say([0x16], 'selec 1')
await say([0x16], 'select ? from')
await say([0x02], 'nowhere')
await say([0x02], 'mysql')
await say([0x04], 'db\0')
await say([0x09])
await say([0x1b], [0, 0])
await say([0x03], 'select 1; select 2, 3; update shop.items set price = price')
await say([0x03], 'call shop.report()')
await say([0x03], '/* only a comment */')
await say([0x0a])
await say([0x0d])
await say([0x1f])
// Prepared and executed without waiting for its number, as MariaDB's connectors do.
socket.write(Buffer.concat([packet(0, [0x16], 'select 1 as one'), packet(0, [0x17], int(-1), [0], int(1))]))
await settle()
for (const user of ['tester', 'nobody']) {
  const answer = await say([0x11], `${user}\0`, [0], 'shop\0', [45, 0], 'mysql_native_password\0')
  // The server asks for the password once more; there is none.
  if (answer[4] === 0xfe) socket.write(packet(answer[3] + 1))
  await settle()
}
socket.end(packet(0, [0x01]))
