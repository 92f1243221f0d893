// Makes the captures of tls with openssl's server and client, nginx, curl and Node on loopback. Needs openssl, nginx,
// curl and tcpdump; run as root. The goldens are then written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/tls
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { finish, record, run, serve, work } from './recorder.mjs'

const file = (name) => join(work, name)
const openssl = (...args) => execFileSync('openssl', args, { cwd: work, stdio: ['ignore', 'ignore', 'pipe'] })
const client = (port, ...args) =>
  run(
    'GET / HTTP/1.0\r\n\r\n',
    'openssl',
    's_client',
    '-connect',
    `127.0.0.1:${port}`,
    '-quiet',
    '-no_ign_eof',
    ...args,
  )

/** An authority, a server's certificate, one that has expired, and a client's. */
function certificates() {
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '3650',
    '-subj',
    '/O=Tapdeck/CN=Test CA',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  )
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '3650',
    '-subj',
    '/CN=self.test',
    '-keyout',
    'self.key',
    '-out',
    'self.pem',
  )
  writeFileSync(file('index.txt'), '')
  writeFileSync(file('serial'), '1000')
  mkdirSync(file('new'))
  writeFileSync(
    file('ca.cnf'),
    `[ca]\ndefault_ca=a\n[a]\ndir=${work}\nnew_certs_dir=${work}/new\ndatabase=${work}/index.txt\nserial=${work}/serial\ndefault_md=sha256\npolicy=p\nunique_subject=no\ncopy_extensions=copy\n[p]\norganizationName=optional\ncommonName=supplied\n`,
  )
  const issue = (name, subject, names, end) => {
    openssl(
      'req',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      subject,
      '-addext',
      `subjectAltName=${names}`,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
    )
    openssl(
      'ca',
      '-batch',
      '-notext',
      '-config',
      'ca.cnf',
      '-cert',
      'ca.pem',
      '-keyfile',
      'ca.key',
      '-startdate',
      '20200101000000Z',
      '-enddate',
      end,
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.pem`,
    )
  }
  issue(
    'server',
    '/O=Tapdeck/CN=shop.test',
    'DNS:shop.test,DNS:*.shop.test,IP:127.0.0.1,IP:::1',
    '20450101000000Z',
  )
  issue('expired', '/O=Tapdeck/CN=old.test', 'DNS:old.test', '20210101000000Z')
  issue('client', '/O=Tapdeck/CN=cart', 'URI:spiffe://shop.test/ns/shop/sa/cart', '20450101000000Z')
  writeFileSync(file('chain.pem'), execFileSync('cat', ['server.pem', 'ca.pem'], { cwd: work }))
}

const server = (port, ...args) =>
  serve(port, 'openssl', 's_server', '-accept', `127.0.0.1:${port}`, '-quiet', '-rev', ...args)
const shop = ['-cert', file('server.pem'), '-key', file('server.key'), '-cert_chain', file('ca.pem')]
const rsa = ['-cert', file('self.pem'), '-key', file('self.key')]
const all = ['-cipher', 'ALL:eNULL:@SECLEVEL=0']

/** Passes bytes on between a client and a server, as `meddle` says. */
async function proxy(port, to, meddle) {
  const listener = createServer((inner) => {
    const outer = connect(to, '127.0.0.1')
    inner.setNoDelay(true)
    outer.setNoDelay(true)
    for (const socket of [inner, outer]) socket.on('error', () => {})
    inner.on('close', () => outer.destroy())
    outer.on('close', () => inner.end())
    meddle(inner, outer)
  }).listen(port, '127.0.0.1')
  await once(listener, 'listening')
  return listener
}

certificates()
await server(14430, ...shop, ...all, '-alpn', 'h2,http/1.1')
await server(14431, ...rsa, ...all)
await server(14432, ...shop, '-tls1_3', '-groups', 'P-384')
await server(14433, ...shop, '-Verify', '1', '-verify_return_error', '-CAfile', file('ca.pem'))
await server(14434, '-cert', file('expired.pem'), '-key', file('expired.key'))
await server(14435, ...shop, '-max_send_frag', '512', '-tls1_2')
// Early data goes only with a server that talks to its standard input.
const early = spawn('openssl', ['s_server', '-accept', '127.0.0.1:14436', '-quiet', '-early_data', ...shop], {
  stdio: ['pipe', 'ignore', 'ignore'],
})
try {
  await record('tls', 'versions', 'tcp port 14430', async () => {
    for (const version of ['-tls1', '-tls1_1', '-tls1_2', '-tls1_3'])
      await client(
        14430,
        version,
        '-cipher',
        'ALL:@SECLEVEL=0',
        '-servername',
        'www.shop.test',
        '-alpn',
        'h2,http/1.1',
      )
    await client(14430, '-noservername')
  })

  await record('tls', 'suites', 'tcp port 14431', async () => {
    for (const suite of [
      'NULL-SHA256',
      'AECDH-AES128-SHA',
      'ADH-AES256-GCM-SHA384',
      'AES128-SHA',
      'DHE-RSA-AES256-GCM-SHA384',
      'ECDHE-RSA-CHACHA20-POLY1305',
      'ECDHE-RSA-AES256-SHA384',
    ])
      await client(14431, '-tls1_2', '-cipher', `${suite}:@SECLEVEL=0`, '-servername', 'self.test')
    await client(14431, '-tls1_3', '-ciphersuites', 'TLS_CHACHA20_POLY1305_SHA256', '-groups', 'X448')
    await client(
      14431,
      '-tls1_3',
      '-ciphersuites',
      'TLS_AES_128_CCM_8_SHA256:TLS_AES_128_GCM_SHA256',
      '-groups',
      'P-521',
    )
  })

  await record('tls', 'resumed', 'tcp port 14430 or tcp port 14436', async () => {
    for (const version of ['-tls1_2', '-tls1_3']) {
      const session = file(`session${version}`)
      const keep = spawn(
        'openssl',
        [
          's_client',
          '-connect',
          '127.0.0.1:14436',
          version,
          '-servername',
          'shop.test',
          '-sess_out',
          session,
        ],
        { stdio: ['pipe', 'ignore', 'ignore'] },
      )
      // Until the ticket has come and is written.
      for (let waited = 0; waited < 10_000 && !existsSync(session); waited += 100) await sleep(100)
      await sleep(300)
      keep.stdin.end('GET / HTTP/1.0\r\n\r\n')
      await once(keep, 'exit')
      await client(14436, version, '-servername', 'shop.test', '-sess_in', session)
    }
    writeFileSync(file('early'), 'GET / HTTP/1.0\r\n\r\n')
    await client(
      14436,
      '-tls1_3',
      '-servername',
      'shop.test',
      '-sess_in',
      file('session-tls1_3'),
      '-early_data',
      file('early'),
    )
  })

  await record('tls', 'client-certificates', 'tcp port 14433', async () => {
    const own = ['-cert', file('client.pem'), '-key', file('client.key')]
    await client(14433, '-tls1_2', '-servername', 'shop.test', ...own)
    await client(14433, '-tls1_2', '-servername', 'shop.test')
    await client(
      14433,
      '-tls1_2',
      '-servername',
      'shop.test',
      '-cert',
      file('self.pem'),
      '-key',
      file('self.key'),
    )
    await client(14433, '-tls1_3', '-servername', 'shop.test', ...own)
  })

  await record('tls', 'hello-retry', 'tcp port 14432', async () => {
    await client(14432, '-servername', 'shop.test', '-groups', 'X25519:P-384')
  })

  await record('tls', 'fragments', 'tcp port 14435 or tcp port 14445', async () => {
    const drip = await proxy(14445, 14435, (inner, outer) => {
      outer.pipe(inner)
      inner.on('data', async (data) => {
        inner.pause()
        for (let at = 0; at < data.length && at < 400; at += 50) {
          outer.write(data.subarray(at, Math.min(data.length, at + 50)))
          await sleep(5)
        }
        if (data.length > 400) outer.write(data.subarray(400))
        inner.resume()
      })
    })
    const many = Array.from({ length: 30 }, (_, index) => `protocol-${index}`).join(',')
    await client(14445, '-servername', 'shop.test', '-alpn', many)
    drip.close()
  })

  await record('tls', 'failures', 'tcp portrange 14430-14434 or tcp portrange 14446-14449', async () => {
    const get = (...args) => run('', 'curl', '-s', '-m', '5', '--connect-to', '::127.0.0.1:', ...args)
    await get('--tls-max', '1.2', 'https://shop.test:14430/')
    await get('https://shop.test:14430/')
    await get('--cacert', file('ca.pem'), 'https://other.test:14430/')
    await get('--cacert', file('ca.pem'), '--tls-max', '1.2', 'https://old.test:14434/')
    await client(14432, '-tls1_2', '-servername', 'shop.test')
    await client(14434, '-tls1_2', '-cipher', 'AES128-SHA', '-servername', 'old.test')
    await client(14430, '-tls1_2', '-alpn', 'spdy/1', '-servername', 'shop.test')
    const cut = await proxy(14446, 14430, (inner, outer) => {
      inner.pipe(outer)
      outer.once('data', (data) => {
        inner.write(data.subarray(0, 90))
        setTimeout(() => inner.resetAndDestroy(), 20)
      })
    })
    await client(14446, '-tls1_3', '-servername', 'reset.test')
    cut.close()
    const refuse = await proxy(14447, 14430, (inner) => inner.once('data', () => inner.resetAndDestroy()))
    await client(14447, '-servername', 'refused.test')
    refuse.close()
    const short = await proxy(14448, 14430, (inner, outer) => {
      inner.pipe(outer)
      outer.once('data', (data) => inner.end(data.subarray(0, 200)))
    })
    await client(14448, '-tls1_2', '-servername', 'closed.test')
    short.close()
    const plain = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () =>
        socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
      )
    }).listen(14449, '127.0.0.1')
    await once(plain, 'listening')
    await client(14449, '-servername', 'plain.test')
    plain.close()
  })

  writeFileSync(
    file('nginx.conf'),
    `daemon off;\nworker_processes 1;\npid ${work}/nginx.pid;\nerror_log ${work}/nginx.log;\nevents {}\nhttp {\n access_log off;\n client_body_temp_path ${work}/b;\n proxy_temp_path ${work}/p;\n fastcgi_temp_path ${work}/f;\n uwsgi_temp_path ${work}/u;\n scgi_temp_path ${work}/s;\n ssl_certificate ${work}/chain.pem;\n ssl_certificate_key ${work}/server.key;\n ssl_protocols TLSv1.2 TLSv1.3;\n server { listen 127.0.0.1:14440 ssl http2; server_name shop.test; location / { return 200 "hello\\n"; } }\n server { listen 127.0.0.1:14440 ssl default_server; ssl_reject_handshake on; }\n}\n`,
  )
  await serve(14440, 'nginx', '-c', file('nginx.conf'))
  await record('tls', 'nginx', 'tcp port 14440', async () => {
    const get = (...args) =>
      run('', 'curl', '-s', '-m', '5', '--cacert', file('ca.pem'), '--connect-to', '::127.0.0.1:', ...args)
    await get('https://shop.test:14440/')
    await get('--http1.1', '--tls-max', '1.2', 'https://shop.test:14440/', 'https://shop.test:14440/again')
    await get('https://unknown.test:14440/')
  })
} finally {
  early.kill()
  await finish()
}
