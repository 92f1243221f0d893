// Makes the captures of packages/dissect/src/protocols/redis/captures with redis-server, redis-cli, redis-benchmark and
// sockets. Needs redis and tcpdump; run as root. The goldens are then written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/redis
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { finish, record, run, serve, talk, work } from './recorder.mjs'

const PORT = 16399
const REPLICA = 16398
const on = `tcp port ${PORT}`
const server = (port, ...more) => {
  const dir = join(work, String(port))
  mkdirSync(dir, { recursive: true })
  return serve(
    port,
    'redis-server',
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--enable-debug-command',
    'yes',
    '--dir',
    dir,
    ...more,
  )
}
const cli = (...args) => run('', 'redis-cli', '-p', String(PORT), ...args)
const resp = (...args) =>
  `*${args.length}\r\n${args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')}`

const COMMANDS = [
  ['SET', 'greeting', 'hello world', 'EX', '100'],
  ['GET', 'greeting'],
  ['GET', 'nothing'],
  ['incr', 'hits'],
  ['LPUSH', 'list', 'a', 'b', 'c'],
  ['LRANGE', 'list', '0', '-1'],
  ['HSET', 'user:1', 'name', 'Ann', 'city', 'K\u00f6ln'],
  ['HGETALL', 'user:1'],
  ['INCR', 'greeting'],
  ['LPUSH', 'greeting', 'x'],
  ['NOSUCH', 'command'],
  ['SET', 'a'],
  ['XADD', 'log', '1-1', 'kind', 'start'],
  ['XREAD', 'COUNT', '2', 'STREAMS', 'log', '0'],
  ['EVAL', "return {KEYS[1], redis.call('GET', KEYS[1])}", '1', 'greeting'],
  ['EVAL', 'return 1', '0'],
  ['OBJECT', 'ENCODING', 'greeting'],
  ['MULTI'],
  ['SET', 'k', '1'],
  ['INCR', 'k'],
  ['LPUSH', 'k', 'z'],
  ['EXEC'],
  ['MULTI'],
  ['NOSUCH'],
  ['EXEC'],
  ['SCAN', '0', 'MATCH', 'user:*', 'COUNT', '10'],
  ['CONFIG', 'GET', 'maxmemory'],
  ['DEL', 'greeting', 'list'],
  ['TYPE', 'user:1'],
  ['PING', 'are you there'],
]

try {
  // A primary greets its copies now and then: not while we look.
  await server(PORT, '--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '3600')

  await record('redis', 'commands', on, async () => {
    const client = await talk(PORT)
    for (const command of COMMANDS) await client.say(resp(...command))
    await client.end()
    await cli('SET', 'typed', 'by hand')
  })

  await record('redis', 'resp3', on, async () => {
    const client = await talk(PORT)
    await client.say(resp('HELLO', '3', 'SETNAME', 'shop'))
    await client.say(resp('HSET', 'map', 'a', '1', 'b', '2'))
    await client.say(resp('HGETALL', 'map'))
    await client.say(resp('SADD', 'set', 'x', 'y'))
    await client.say(resp('SMEMBERS', 'set'))
    await client.say(resp('ZADD', 'z', '1.5', 'one'))
    await client.say(resp('ZSCORE', 'z', 'one'))
    await client.say(resp('GET', 'nothing'))
    await client.say(resp('DEBUG', 'PROTOCOL', 'attrib'))
    for (const kind of ['true', 'bignum', 'verbatim', 'double', 'null', 'map'])
      await client.say(resp('DEBUG', 'PROTOCOL', kind))
    await client.say(resp('CLIENT', 'TRACKING', 'ON'))
    await client.say(resp('GET', 'tracked'))
    await client.say(resp('SUBSCRIBE', 'news', 'sport'))
    const other = await talk(PORT)
    await other.say(resp('SET', 'tracked', '1'))
    await other.say(resp('PUBLISH', 'news', 'rain today'))
    await other.end()
    await client.say(resp('PING') + resp('GET', 'tracked'))
    await client.say(resp('UNSUBSCRIBE'))
    await client.say(resp('HELLO', '2'))
    await client.end()
  })

  await record('redis', 'pubsub', on, async () => {
    const client = await talk(PORT)
    const other = await talk(PORT)
    await client.say(resp('SUBSCRIBE', 'a', 'b', 'c'))
    await client.say(resp('PSUBSCRIBE', 'n.*'))
    for (let i = 0; i < 4; i++)
      await other.say(resp('PUBLISH', 'a', `message ${i}`) + resp('PUBLISH', 'n.x', 'to all'))
    await client.say(resp('PING'))
    await client.say(resp('GET', 'a'))
    await client.say(resp('UNSUBSCRIBE'))
    await client.say(resp('PUNSUBSCRIBE', 'n.*'))
    await client.say(resp('UNSUBSCRIBE'))
    await client.say(resp('GET', 'a'))
    await client.end()
    await other.end()
    const watcher = await talk(PORT)
    await watcher.say(resp('MONITOR'))
    await cli('SET', 'seen', '1')
    await cli('GET', 'seen')
    await watcher.say(resp('RESET'))
    await watcher.say(resp('PING'))
    await watcher.end()
  })

  await record('redis', 'inline', on, async () => {
    const client = await talk(PORT)
    await client.say('PING\r\n')
    await client.say('SET inline "two words"\r\nGET inline\r\n')
    await client.say('\r\nget inline\r\n')
    await client.say('EXISTS inline nothing\r\n')
    await client.say('INCR inline\r\n')
    await client.say('QUIT\r\n')
    await client.end()
  })

  await record('redis', 'pipelined', on, async () => {
    const client = await talk(PORT)
    const batch = Array.from(
      { length: 40 },
      (_, i) => resp('SET', `key:${i}`, `value ${i}`) + resp('GET', `key:${i}`),
    )
    await client.say(batch.slice(0, 20).join(''))
    await client.say(batch.slice(20).join(''))
    await client.say(resp('CLIENT', 'REPLY', 'SKIP') + resp('SET', 'quiet', '1') + resp('GET', 'quiet'))
    await client.say(resp('CLIENT', 'REPLY', 'OFF') + resp('SET', 'quiet', '2'), 50)
    await client.say(resp('CLIENT', 'REPLY', 'ON'))
    await client.say(resp('GET', 'quiet'))
    await client.end()
    await run(
      '',
      'redis-benchmark',
      '-p',
      String(PORT),
      '-c',
      '2',
      '-n',
      '24',
      '-P',
      '4',
      '-t',
      'set,lpush',
      '-q',
    )
  })

  await record('redis', 'big', on, async () => {
    const client = await talk(PORT)
    await client.say(resp('SET', 'big', 'x'.repeat(9000)))
    await client.say(resp('GET', 'big'))
    await client.say(resp('SETRANGE', 'empty', '0', ''))
    await client.say(resp('RPUSH', 'many', ...Array.from({ length: 600 }, (_, i) => `element ${i}`)))
    await client.say(resp('LRANGE', 'many', '0', '-1'))
    await client.say(resp('SET', 'binary', '\u0001\u0002\u0003'))
    await client.say(resp('GET', 'binary'))
    await client.end()
  })

  await record('redis', 'secrets', on, async () => {
    const client = await talk(PORT)
    await client.say(resp('CONFIG', 'SET', 'requirepass', 'correct horse'))
    const other = await talk(PORT)
    await other.say(resp('GET', 'k'))
    await other.say(resp('AUTH', 'wrong horse'))
    await other.say(resp('AUTH', 'default', 'correct horse'))
    await other.say(resp('HELLO', '3', 'AUTH', 'default', 'correct horse'))
    await other.say('auth "correct horse"\r\n')
    await other.say(resp('ACL', 'SETUSER', 'ann', 'on', '>battery staple', '~*', '+@all'))
    await other.say(resp('CONFIG', 'SET', 'requirepass', ''))
    await other.end()
    await client.end()
  })

  await record('redis', 'replication', `tcp port ${PORT}`, async () => {
    await server(REPLICA, '--replicaof', `127.0.0.1 ${PORT}`, '--repl-diskless-load', 'disabled')
    await sleep(1500)
    await cli('SET', 'copied', '1')
    await cli('DEL', 'copied')
    await sleep(1200)
  })
} finally {
  await finish()
}
