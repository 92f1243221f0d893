// Makes the captures of http2, grpc and graphql with real servers and clients on loopback: nghttpd, nghttp, h2load,
// curl, and Node's own http2. Needs nghttp2-server, nghttp2-client, curl and tcpdump; run as
// root. The goldens are then written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/{http2,grpc,graphql}
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { finish, record as recordPackets, run as runClient, work } from './recorder.mjs'

const PORT = 18443
const record = (protocol, name, scene) => recordPackets(protocol, name, `tcp port ${PORT}`, scene)
const run = (command, ...args) => runClient('', command, ...args)

/** Not the one of the others, which dials the port to see whether it is there: that would be recorded. */
async function serve(command, ...args) {
  const child = spawn(command, args, { stdio: 'ignore' })
  await sleep(600)
  return async () => {
    child.kill()
    await once(child, 'exit')
  }
}

const url = (path) => `http://127.0.0.1:${PORT}${path}`

// ---- nghttpd and its clients -------------------------------------------------------------------------------------

const docs = join(work, 'docs')
mkdirSync(docs)
writeFileSync(
  join(docs, 'index.html'),
  '<html><link rel="stylesheet" href="/style.css"><p>Hello</p></html>\n',
)
writeFileSync(join(docs, 'style.css'), 'p { color: teal }\n')
writeFileSync(join(docs, 'data.json'), JSON.stringify({ items: [1, 2, 3] }))
writeFileSync(join(docs, 'big.txt'), 'all work and no play\n'.repeat(900))
const upload = join(work, 'upload.txt')
writeFileSync(upload, 'an upload of some lines\n'.repeat(40))

await record('http2', 'nghttpd', async () => {
  const stop = await serve(
    'nghttpd',
    '--no-tls',
    '-a',
    '127.0.0.1',
    '-d',
    docs,
    '-p',
    '/=/style.css',
    '--echo-upload',
    `${PORT}`,
  )
  await run('nghttp', '-n', url('/'), url('/data.json'), url('/missing'), url('/big.txt'))
  await run('nghttp', '-n', '-d', upload, '--trailer', 'x-checksum: abc', url('/echo'))
  await run(
    'nghttp',
    '-n',
    '--no-push',
    '--continuation',
    '-H',
    'x-a: one',
    '-H',
    'cookie: a=1',
    '-H',
    'cookie: b=2',
    url('/data.json?x=1&y=2'),
  )
  await run('nghttp', '-n', '--no-push', '-m', '3', '-c', '0', url('/data.json'))
  await run('curl', '-s', '-o', '/dev/null', '--http2-prior-knowledge', '-X', 'DELETE', url('/data.json'))
  await stop()
})

await record('http2', 'padded', async () => {
  const stop = await serve(
    'nghttpd',
    '--no-tls',
    '-a',
    '127.0.0.1',
    '-d',
    docs,
    '-b',
    '64',
    '--trailer',
    'x-sum: 42',
    `${PORT}`,
  )
  await run('nghttp', '-n', '-b', '100', url('/'), url('/data.json'))
  await run('nghttp', '-n', '-b', '7', '-d', upload, url('/data.json'))
  await stop()
})

await record('http2', 'load', async () => {
  const stop = await serve('nghttpd', '--no-tls', '-a', '127.0.0.1', '-d', docs, `${PORT}`)
  await run('h2load', '-n', '60', '-c', '2', '-m', '8', url('/data.json'), url('/style.css'), url('/missing'))
  await stop()
})

/** A frame of HTTP/2. */
function frame(type, flags, stream, payload = Buffer.alloc(0)) {
  const header = Buffer.alloc(9)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(stream, 5)
  return Buffer.concat([header, payload])
}

/** `:status: 200`, and a header that goes into the table. */
const PLAIN = Buffer.concat([
  Buffer.from([0x88, 0x40, 6]),
  Buffer.from('x-from'),
  Buffer.from([4]),
  Buffer.from('hand'),
])
const AGAIN = Buffer.from([0x88, 0xbe])

/** No server at hand takes the upgrade any more, so this one does it frame by frame; the clients are real. */
function upgradeServer() {
  return http
    .createServer((_, response) => response.end('not upgraded'))
    .on('upgrade', (request, socket, first) => {
      socket.on('error', () => undefined)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
      const body = Buffer.from(`you asked for ${request.url}\n`)
      socket.write(Buffer.concat([frame(4, 0, 0), frame(1, 4, 1, PLAIN), frame(0, 1, 1, body)]))
      let held = first
      let preface = true
      const read = (data) => {
        held = Buffer.concat([held, data])
        if (preface && held.length >= 24) {
          held = held.subarray(24)
          preface = false
        }
        while (!preface && held.length >= 9 && held.length >= 9 + held.readUIntBE(0, 3)) {
          const [type, flags, stream] = [held[3], held[4], held.readUInt32BE(5)]
          held = held.subarray(9 + held.readUIntBE(0, 3))
          if (type === 4 && flags === 0) socket.write(frame(4, 1, 0))
          if (type === 1)
            socket.write(
              Buffer.concat([frame(1, 4, stream, AGAIN), frame(0, 1, stream, Buffer.from('again'))]),
            )
          if (type === 7) socket.end()
        }
      }
      read(Buffer.alloc(0))
      socket.on('data', read)
    })
}

await record('http2', 'upgrade', async () => {
  const server = upgradeServer()
  await new Promise((done) => server.listen(PORT, '127.0.0.1', done))
  await run(
    'curl',
    '-s',
    '-m',
    '5',
    '--http2',
    '-o',
    '/dev/null',
    url('/first?a=1'),
    '-o',
    '/dev/null',
    url('/second'),
  )
  await run('nghttp', '-n', '-t', '5', '-u', url('/upgraded'), url('/next'))
  server.closeAllConnections()
  server.close()
  await sleep(100)
})

// ---- Node ----------------------------------------------------------------------------------------------------------

async function withServer(onStream, talk, options = {}) {
  const server = http2.createServer(options)
  server.on('stream', (stream, headers, flags) => {
    stream.on('error', () => undefined)
    onStream(stream, headers, flags)
  })
  server.on('session', (session) => session.on('error', () => undefined))
  await new Promise((done) => server.listen(PORT, '127.0.0.1', done))
  const session = http2.connect(`http://127.0.0.1:${PORT}`)
  session.on('error', () => undefined)
  await once(session, 'connect')
  try {
    await talk(session, server)
  } finally {
    session.close()
    await sleep(100)
    session.destroy()
    server.close()
  }
}

/** One request to its end, whatever that is. */
function ask(session, headers, body) {
  const stream = session.request(headers, { endStream: body === undefined })
  stream.on('error', () => undefined)
  if (body !== undefined) stream.end(body)
  stream.resume()
  return new Promise((done) => stream.on('close', done))
}

await record('http2', 'node', () =>
  withServer(
    async (stream, headers) => {
      const path = headers[':path'].split('?')[0]
      if (path === '/json')
        stream.respond({
          ':status': 200,
          'content-type': 'application/json',
          'set-cookie': ['a=1; Path=/', 'b=2'],
        })
      switch (path) {
        case '/json':
          stream.end('{"ok":true}')
          return
        case '/gzip':
          stream.respond({ ':status': 200, 'content-type': 'text/plain', 'content-encoding': 'gzip' })
          stream.end(gzipSync('packed text '.repeat(50)))
          return
        case '/fail':
          stream.respond({ ':status': 500, 'content-type': 'text/plain' })
          stream.end('something broke')
          return
        case '/hints':
          stream.additionalHeaders({ ':status': 103, link: '</style.css>; rel=preload' })
          stream.respond({ ':status': 204 }, { endStream: true })
          return
        case '/events':
          stream.respond({ ':status': 200, 'content-type': 'text/event-stream' })
          for (let i = 1; i <= 4; i++) {
            stream.write(`event: tick\nid: ${i}\ndata: {"n":${i}}\n\n: still here\n\n`)
            await sleep(30)
          }
          stream.end()
          return
        case '/refused':
          stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)
          return
        case '/half':
          stream.respond({ ':status': 200, 'content-type': 'text/plain', 'content-length': '1000' })
          stream.write('only a part')
          await sleep(40)
          stream.destroy(new Error('on purpose'))
          return
        case '/slow':
          return
        case '/big':
          stream.respond({ ':status': 200, 'content-type': 'text/plain' })
          stream.end('0123456789'.repeat(2500))
          return
        default:
          stream.respond({ ':status': 200 })
          stream.pipe(stream)
      }
    },
    async (session) => {
      await ask(session, { ':path': '/json?page=2&page=3', cookie: 'session=abc; theme=dark' })
      await ask(session, { ':path': '/gzip' })
      await ask(session, { ':path': '/fail' })
      await ask(session, { ':path': '/hints' })
      await ask(session, { ':path': '/events', accept: 'text/event-stream' })
      await ask(session, { ':path': '/refused' })
      await ask(session, { ':path': '/half' })
      await ask(session, { ':path': '/big' })
      await ask(
        session,
        { ':method': 'POST', ':path': '/echo', 'content-type': 'text/plain' },
        'x'.repeat(3000),
      )
      const slow = session.request({ ':path': '/slow' })
      slow.on('error', () => undefined)
      await sleep(50)
      slow.close(http2.constants.NGHTTP2_CANCEL)
      await sleep(50)
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          ask(session, { ':path': `/json?parallel=${i}`, 'x-request-id': `id-${i}` }),
        ),
      )
      await ask(session, { ':path': '/json' })
      await new Promise((done) => session.ping(done))
    },
  ),
)

await record('http2', 'goaway', () =>
  withServer(
    (stream, headers) => {
      if (headers[':path'] === '/last') {
        stream.respond({ ':status': 200 })
        stream.end('bye')
        stream.session.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM, stream.id)
      }
    },
    async (session) => {
      const requests = ['/last', '/too-late', '/later'].map((path) => ask(session, { ':path': path }))
      await Promise.race([Promise.all(requests), sleep(300)])
    },
  ),
)

// ---- gRPC, by hand on Node's HTTP/2 --------------------------------------------------------------------------------

function message(text, flags = 0) {
  const body = Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)])
  const prefix = Buffer.alloc(5)
  prefix[0] = flags
  prefix.writeUInt32BE(body.length, 1)
  return Buffer.concat([prefix, body])
}

function webTrailers(text) {
  const prefix = Buffer.alloc(5)
  prefix[0] = 0x80
  prefix.writeUInt32BE(text.length, 1)
  return Buffer.concat([prefix, Buffer.from(text)])
}

const GRPC = { 'content-type': 'application/grpc+proto' }
const rpc = (method, more = {}) => ({
  ':method': 'POST',
  ':path': `/shop.v1.Carts/${method}`,
  'content-type': 'application/grpc',
  te: 'trailers',
  'user-agent': 'grpc-by-hand/1.0',
  ...more,
})

/** Answers with messages, then with trailers. */
function answer(stream, messages, trailers) {
  stream.respond({ ':status': 200, ...GRPC }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  for (const one of messages) stream.write(message(one))
  stream.end()
}

async function received(stream) {
  const pieces = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function shop(stream, headers) {
  const path = headers[':path']
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/grpc-web')) {
    await received(stream)
    const body = Buffer.concat([message('web tea'), webTrailers('grpc-status: 0\r\ngrpc-message:\r\n')])
    stream.respond({ ':status': 200, 'content-type': type })
    stream.end(type.startsWith('application/grpc-web-text') ? body.toString('base64') : body)
    return
  }
  switch (path.split('/').at(-1)) {
    case 'Get':
      await received(stream)
      answer(stream, ['tea'], { 'grpc-status': '0' })
      return
    case 'Add':
      await received(stream)
      answer(stream, ['3 added'], { 'grpc-status': '0', 'grpc-message': '' })
      return
    case 'List':
      await received(stream)
      answer(stream, ['tea', 'milk', 'sugar', 'bread'], { 'grpc-status': '0' })
      return
    case 'Chat':
      stream.respond({ ':status': 200, ...GRPC }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.on('data', () => stream.write(message('and you?')))
      stream.on('end', () => stream.end())
      return
    case 'Missing':
      await received(stream)
      stream.respond(
        { ':status': 200, ...GRPC, 'grpc-status': '5', 'grpc-message': 'no cart %E2%82%AC 7%25' },
        { endStream: true },
      )
      return
    case 'Break':
      await received(stream)
      answer(stream, ['half'], { 'grpc-status': '13', 'grpc-message': 'broken after a message' })
      return
    case 'Proxy':
      stream.respond({ ':status': 503, 'content-type': 'text/plain' })
      stream.end('no upstream')
      return
    case 'Watch':
      stream.respond({ ':status': 200, ...GRPC })
      stream.write(message('first'))
  }
}

function call(session, headers, ...messages) {
  return ask(session, headers, Buffer.concat(messages.map((text) => message(text))))
}

await record('grpc', 'calls', () =>
  withServer(shop, async (session) => {
    await call(session, rpc('Get', { 'grpc-timeout': '250m', 'grpc-encoding': 'identity' }), 'id 1')
    await call(session, rpc('Add'), 'tea', 'milk', 'sugar')
    await call(session, rpc('List'), 'all')
    const chat = session.request(rpc('Chat'))
    chat.resume()
    const closed = once(chat, 'close')
    for (let i = 0; i < 3; i++) {
      chat.write(message(`hello ${i}`))
      await sleep(20)
    }
    chat.end()
    await closed
    await call(session, rpc('Missing'), 'id 7')
    await call(session, rpc('Break', { 'grpc-timeout': '2S' }), 'id 8')
    await call(session, rpc('Proxy'), 'id 9')
    const watch = session.request(rpc('Watch', { 'grpc-timeout': '100m' }))
    watch.on('error', () => undefined)
    watch.resume()
    watch.end(message('forever'))
    await sleep(100)
    watch.close(http2.constants.NGHTTP2_CANCEL)
    await sleep(30)
    await Promise.all(Array.from({ length: 10 }, (_, i) => call(session, rpc('Get'), `id ${i}`)))
    // One message across several frames, and several frames in one write.
    const split = session.request(rpc('Get'))
    split.resume()
    const whole = message('a message that comes in pieces')
    for (let at = 0; at < whole.length; at += 7) {
      split.write(whole.subarray(at, at + 7))
      await sleep(5)
    }
    split.end()
    await once(split, 'close')
    await call(session, rpc('Get', { 'content-type': 'application/grpc-web+proto' }), 'web')
  }),
)

function post(path, type, body, more = {}) {
  return new Promise((done, failed) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port: PORT,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...(type === undefined ? {} : { 'content-type': type }), ...more },
      },
      (response) => {
        response.resume()
        response.on('end', done)
      },
    )
    request.on('error', failed)
    request.end(body)
  })
}

async function withHttp1(onRequest, talk) {
  const server = http.createServer(onRequest)
  await new Promise((done) => server.listen(PORT, '127.0.0.1', done))
  try {
    await talk()
  } finally {
    server.closeAllConnections()
    server.close()
    await sleep(100)
  }
}

await record('grpc', 'web', () =>
  withHttp1(
    (request, response) => {
      request.resume()
      const type = request.headers['content-type']
      const failed = request.url.endsWith('Missing')
      const trailers = webTrailers(
        failed ? 'grpc-status: 5\r\ngrpc-message: no%20cart\r\n' : 'grpc-status:0\r\n',
      )
      const body = Buffer.concat([...(failed ? [] : [message('tea'), message('milk')]), trailers])
      response.writeHead(200, { 'content-type': type })
      if (type.startsWith('application/grpc-web-text')) {
        response.write(body.subarray(0, 10).toString('base64'))
        response.end(body.subarray(10).toString('base64'))
      } else response.end(body)
    },
    async () => {
      await post('/shop.v1.Carts/List', 'application/grpc-web+proto', message('all'), { 'x-grpc-web': '1' })
      await post('/shop.v1.Carts/Missing', 'application/grpc-web+proto', message('7'))
      await post('/shop.v1.Carts/List', 'application/grpc-web-text', message('all').toString('base64'))
      await post('/shop.v1.Carts/Missing', 'application/grpc-web-text', message('7').toString('base64'))
    },
  ),
)

// ---- GraphQL -------------------------------------------------------------------------------------------------------

const JSON_TYPE = 'application/json'
const GOOD = JSON.stringify({ data: { cart: { items: ['tea'] } } })
const BAD = JSON.stringify({
  errors: [{ message: 'cart 7 not found', path: ['cart'], extensions: { code: 'NOT_FOUND' } }],
  data: { cart: null },
})
const questions = [
  {
    operationName: 'GetCart',
    variables: { id: 1 },
    query: 'query GetCart($id: ID!) { cart(id: $id) { items } }',
  },
  { query: 'mutation AddItem { add(item: "tea {") { id } }' },
  { query: '{ cart { items } }' },
  { query: 'query Bad { cart(id: 7) { items } }' },
  {
    operationName: 'Second',
    query: 'fragment F on Cart { items } query First { a } subscription Second { changed { ...F } }',
  },
]
const isBad = (body) => body.includes('id: 7')

await record('graphql', 'http1', () =>
  withHttp1(
    async (request, response) => {
      const body = (await received(request)).toString()
      if (request.url.startsWith('/search')) {
        response.writeHead(200, { 'content-type': JSON_TYPE })
        response.end('{"hits":[]}')
        return
      }
      if (isBad(body + decodeURIComponent(request.url))) {
        response.writeHead(200, { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' })
        response.end(gzipSync(BAD))
        return
      }
      response.writeHead(body.includes('syntax!') ? 400 : 200, { 'content-type': JSON_TYPE })
      response.end(
        body.includes('syntax!') ? JSON.stringify({ errors: [{ message: 'Syntax Error' }] }) : GOOD,
      )
    },
    async () => {
      for (const question of questions) await post('/graphql', JSON_TYPE, JSON.stringify(question))
      await post('/graphql', JSON_TYPE, JSON.stringify({ query: 'syntax!' }))
      await post('/api', JSON_TYPE, JSON.stringify(questions[0]))
      await post('/graphql', JSON_TYPE, JSON.stringify([questions[1], questions[2]]))
      await post('/graphql', 'application/graphql', 'query Plain { cart { items } }')
      await post(
        '/graphql',
        JSON_TYPE,
        JSON.stringify({
          operationName: 'Known',
          extensions: { persistedQuery: { version: 1, sha256Hash: 'ab12' } },
        }),
      )
      await post(
        `/graphql?query=${encodeURIComponent('query ByGet { cart(id: 7) { items } }')}&variables=${encodeURIComponent('{"a":1}')}`,
      )
      await post('/search', JSON_TYPE, JSON.stringify({ query: 'query tea and milk' }))
      await post('/search', JSON_TYPE, JSON.stringify({ query: { match: { name: 'tea' } } }))
    },
  ),
)

await record('graphql', 'http2', () =>
  withServer(
    async (stream) => {
      const body = (await received(stream)).toString()
      stream.respond({ ':status': 200, 'content-type': 'application/graphql-response+json' })
      stream.end(isBad(body) ? BAD : GOOD)
    },
    async (session) => {
      for (const question of questions)
        await ask(
          session,
          { ':method': 'POST', ':path': '/graphql', 'content-type': JSON_TYPE },
          JSON.stringify(question),
        )
    },
  ),
)

await finish()
process.exit(0)
