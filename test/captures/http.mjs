// Makes the captures of packages/dissect/src/protocols/http/captures with nginx, a server of Node's, curl and sockets.
// Needs nginx, curl and tcpdump; run as root, in a network of its own as run-all.mjs gives it. The goldens are then
// written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/http
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { finish, record, run, serve, work } from './recorder.mjs'

const HOST = '127.0.0.2'
const NODE = 8080
const RAW = 8081
const CLOSED_PORT = 8099
const file = (name) => join(work, name)
const curl = (...args) => run('', 'curl', '-s', '-m', '5', ...args)
const at = (path, port = NODE) => `http://${HOST}:${port}${path}`
const items = JSON.stringify({ items: Array.from({ length: 40 }, (_, id) => ({ id, name: `item ${id}` })) })

const json = (encoding, compress) => (_, answer) => {
  answer.setHeader('content-type', 'application/json')
  answer.setHeader('content-encoding', encoding)
  answer.end(compress(items))
}

const status = (code, body) => (_, answer) => {
  answer.statusCode = code
  answer.end(body)
}

/** What the server answers, by path. */
const pages = {
  '/': status(200, 'hello\n'),
  '/gzip': json('gzip', gzipSync),
  '/br': json('br', brotliCompressSync),
  '/deflate'(_, answer) {
    const body = deflateSync(items)
    answer.setHeader('content-encoding', 'deflate')
    answer.write(body.subarray(0, 60))
    answer.end(body.subarray(60))
  },
  '/trailers'(_, answer) {
    answer.setHeader('trailer', 'x-checksum')
    answer.write('part one, ')
    answer.write('part two')
    answer.addTrailers({ 'x-checksum': 'abc123' })
    answer.end()
  },
  async '/slow'(_, answer) {
    await sleep(20)
    answer.end('done')
  },
  '/fail': status(500, '{"error":"boom"}'),
  '/none': status(204),
  '/cached': status(304),
  '/binary'(_, answer) {
    answer.setHeader('content-type', 'application/octet-stream')
    answer.end(Buffer.from([0, 1, 2, 3, 254, 255]))
  },
  '/login'(_, answer) {
    answer.writeHead(302, {
      location: '/',
      'set-cookie': ['session=s3cr3t; HttpOnly; Path=/', 'theme=dark'],
    })
    answer.end()
  },
  async '/echo'(request, answer) {
    const body = Buffer.concat(await request.toArray())
    answer.setHeader('content-type', 'text/plain')
    answer.end(body)
  },
  '/hints'(_, answer) {
    answer.writeEarlyHints({ link: '</a.css>; rel=preload' })
    answer.end('hinted')
  },
  '/large'(_, answer) {
    answer.setHeader('content-type', 'text/plain')
    answer.end('0123456789abcdef'.repeat(5000))
  },
  // Answers without having read the upload.
  '/refuse'(_, answer) {
    answer.writeHead(413, { connection: 'close' })
    answer.end('too large\n')
  },
}
const missing = status(404, 'nothing here\n')

const server = createHttpServer((request, answer) => {
  const page = pages[request.url.replace(/\?.*/, '')] ?? missing
  page(request, answer)
})
server.on('upgrade', (_, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x-echo\r\nConnection: Upgrade\r\n\r\n')
  socket.pipe(socket)
})
server.on('connect', (request, socket) => {
  const [host, port] = request.url.split(':')
  const tunnel = connect(Number(port), host, () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    socket.pipe(tunnel).pipe(socket)
  })
})

/** Endings that Node's own server would not give. */
const raw = createServer((socket) => {
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.once('data', async (data) => {
    const path = data.toString('latin1').split(' ')[1]
    if (path === '/old') {
      socket.write('HTTP/1.0 200 OK\nServer: old\n\n')
      await sleep(5)
      socket.write('first half, ')
      await sleep(5)
      socket.end('second half\n')
    } else if (path === '/reset') {
      socket.write('HTTP/1.0 200 OK\r\nContent-Length: 1000\r\n\r\nonly a part')
      await sleep(5)
      socket.resetAndDestroy()
    } else {
      await sleep(20)
      socket.end()
    }
  })
})

/** Sends what curl would not, and waits until the server closes or has been quiet for a while. */
async function say(text) {
  const socket = connect(NODE, HOST)
  await once(socket, 'connect')
  socket.resume()
  socket.write(text)
  const closed = once(socket, 'close')
  await Promise.race([closed, sleep(150)])
  socket.end()
  await closed
}

function configureNginx() {
  const root = file('root')
  mkdirSync(root)
  writeFileSync(join(root, 'index.html'), '<h1>hi</h1>\n')
  const lines = Array.from({ length: 80 }, (_, i) => `line ${i + 1} of a file that nginx serves\n`)
  writeFileSync(join(root, 'file.txt'), lines.join(''))
  writeFileSync(
    file('nginx.conf'),
    `daemon off;
user root;
worker_processes 1;
pid ${work}/nginx.pid;
error_log ${work}/nginx.log;
events {}
http {
  access_log off;
  client_body_temp_path ${work}/b;
  proxy_temp_path ${work}/p;
  fastcgi_temp_path ${work}/f;
  uwsgi_temp_path ${work}/u;
  scgi_temp_path ${work}/s;
  types { text/html html; text/plain txt; }
  default_type text/plain;
  gzip on;
  gzip_types text/plain;
  gzip_min_length 100;
  server {
    listen 127.0.0.1:80;
    listen ${HOST}:80;
    root ${root};
    location /proxy/ { proxy_pass http://127.0.0.3:81/; }
    location /boom { return 502; }
    location /deny { return 403 "no\\n"; }
  }
  server {
    listen 127.0.0.3:81;
    location / { return 200 "upstream says hello\\n"; }
  }
}
`,
  )
}

// Bodies then come in as many segments as on a real network.
const mtu = (bytes) => execFileSync('ip', ['link', 'set', 'lo', 'mtu', String(bytes)])
try {
  mtu(1500)
  server.listen(NODE, HOST)
  raw.listen(RAW, HOST)
  await Promise.all([once(server, 'listening'), once(raw, 'listening')])
  await record('http', 'keep-alive', `tcp port ${NODE}`, async () => {
    const paths = ['/', '/?page=2&tag=a&tag=b%20c&q', '/missing', '/gzip', '/br', '/deflate', '/trailers']
    paths.push('/slow', '/fail', '/none', '/cached', '/binary', '/login')
    await curl(...paths.map((path) => at(path)))
    await curl('-I', at('/gzip'), at('/'))
    const trace = 'x-b3-traceid: 80f198ee56343ba864fe8b2a57d3eff7'
    await curl('-H', 'cookie: session=s3cr3t; theme=dark', '-H', trace, at('/'))
    await curl('-0', at('/'))
    await curl('-X', 'PURGE', at('/cache/item'))
  })

  await record('http', 'bodies', `tcp port ${NODE}`, async () => {
    const graphql = ['-H', 'content-type: application/json', '-d', '{"query":"{ me { name } }"}']
    await curl('-d', 'user=ann&role=admin', at('/echo'), '--next', '-s', ...graphql, at('/echo'))
    await curl('-H', 'transfer-encoding: chunked', '-d', 'streamed up', at('/echo'))
    await curl('-H', 'expect: 100-continue', '-d', 'patient', at('/echo'))
    await curl(at('/hints'))
    await curl(at('/large'), at('/'))
    writeFileSync(file('upload'), 'x'.repeat(40_000))
    await curl('-d', `@${file('upload')}`, at('/refuse'))
  })

  await record('http', 'pipelined-and-odd', `tcp port ${NODE}`, async () => {
    const requests = [
      'GET /',
      'GET /missing',
      'GET /slow',
      'HEAD /gzip',
      'GET /none',
      'GET /fail',
      'GET /binary',
    ]
    await say(requests.map((line) => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
    await say('GET http://shop.local/?a=1 HTTP/1.1\r\nHost: shop.local\r\nX-Long: one\r\n two\r\n\r\n')
    await say('\r\nGET / HTTP/1.0\r\n\r\n')
    await say('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n')
    await say('BAD\r\n\r\n')
    await say('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x-echo\r\n\r\n')
    await curl('-p', '-x', `${HOST}:${NODE}`, at('/'))
  })

  await record('http', 'closed', `tcp port ${RAW} or tcp port ${CLOSED_PORT}`, async () => {
    for (const path of ['/old', '/reset', '/never']) await curl(at(path, RAW))
    await curl(at('/', CLOSED_PORT))
  })

  configureNginx()
  await serve(80, 'nginx', '-c', file('nginx.conf'))
  await record('http', 'nginx', 'tcp port 80 or tcp port 81', async () => {
    const paths = ['/', '/file.txt', '/missing', '/proxy/a', '/boom', '/deny', '/file.txt']
    await curl('--compressed', ...paths.map((path) => at(path, 80)))
    await curl('-r', '0-99', at('/file.txt', 80))
    await curl('-H', 'if-modified-since: Fri, 01 Jan 2100 00:00:00 GMT', at('/file.txt', 80))
    await curl('-T', file('root/file.txt'), at('/upload', 80))
  })
} finally {
  server.close()
  raw.close()
  mtu(65_536)
  await finish()
}
