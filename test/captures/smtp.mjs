// Makes the captures of packages/dissect/src/protocols/smtp/captures with exim4, swaks and sockets; LMTP is served by
// a few lines of Node. Needs exim4, swaks, openssl and tcpdump; run as root. The goldens are then written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/smtp
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { finish, record, run, serve, talk, work } from './recorder.mjs'

const PORT = 12599
const LMTP = 12598

chmodSync(work, 0o777)
for (const folder of ['spool', 'log']) {
  mkdirSync(join(work, folder))
  execFileSync('chown', ['Debian-exim', join(work, folder)])
}
const [key, certificate] = [join(work, 'key.pem'), join(work, 'cert.pem')]
execFileSync(
  'openssl',
  [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=mail.shop.example', '-days', '30'],
    ...['-keyout', key, '-out', certificate],
  ],
  { stdio: 'ignore' },
)
chmodSync(key, 0o644)
const config = join(work, 'exim.conf')
writeFileSync(
  config,
  `primary_hostname = mail.shop.example
spool_directory = ${work}/spool
log_file_path = ${work}/log/%slog
tls_advertise_hosts = *
tls_certificate = ${certificate}
tls_privatekey = ${key}
chunking_advertise_hosts = *
pipelining_connect_advertise_hosts =
rfc1413_query_timeout = 0s
queue_only = true
keep_environment =
acl_smtp_rcpt = check_rcpt
acl_smtp_data = check_data
begin acl
check_rcpt:
  deny local_parts = nobody
       message = 5.1.1 no such user here
  defer local_parts = later
       message = 4.2.0 greylisted, try again
  accept domains = shop.example
  deny message = relay not permitted
check_data:
  deny condition = \${if match{$message_body}{bad words}}
       message = 5.7.1 not with such words
  accept
begin routers
none:
  driver = redirect
  data = :blackhole:
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if eq{$auth3}{battery staple}}
  server_set_id = $auth2
login:
  driver = plaintext
  public_name = LOGIN
  server_prompts = Username:: : Password::
  server_condition = \${if eq{$auth2}{battery staple}}
  server_set_id = $auth1
`,
)
chmodSync(config, 0o644)

/** As much of an LMTP server as it takes: the second recipient of three is over quota. */
const lmtp = createServer((socket) => {
  let held = ''
  let data = false
  socket.write('220 store.shop.example LMTP ready\r\n')
  socket.on('data', (bytes) => {
    held += bytes
    for (;;) {
      const mark = data ? '\r\n.\r\n' : '\r\n'
      const end = held.indexOf(mark)
      if (end < 0) return
      const line = held.slice(0, end)
      held = held.slice(end + mark.length)
      if (data) {
        data = false
        socket.write('250 2.1.5 stored\r\n452 4.2.2 over quota\r\n250 2.1.5 stored\r\n')
      } else if (/^LHLO/.test(line))
        socket.write('250-store.shop.example\r\n250-PIPELINING\r\n250 ENHANCEDSTATUSCODES\r\n')
      else if (/^DATA/.test(line)) {
        data = true
        socket.write('354 go ahead\r\n')
      } else if (/^QUIT/.test(line)) socket.end('221 2.0.0 bye\r\n')
      else socket.write('250 2.1.0 ok\r\n')
    }
  })
  socket.on('error', () => {})
})

const swaks = (...args) =>
  run(
    '',
    'swaks',
    '--server',
    '127.0.0.1',
    '--port',
    String(PORT),
    '--ehlo',
    'client.shop.example',
    '--from',
    'ann@shop.example',
    ...args,
  )
const mail = (text) => `From: ann@shop.example\r\nTo: bob@shop.example\r\nSubject: a test\r\n\r\n${text}\r\n`

try {
  await serve(PORT, 'exim4', '-C', config, '-bdf', '-oX', `127.0.0.1.${PORT}`, '-oP', join(work, 'exim.pid'))
  lmtp.listen(LMTP, '127.0.0.1')

  await record('smtp', 'session', `tcp port ${PORT}`, async () => {
    await swaks('--to', 'bob@shop.example', '--header', 'Subject: hello', '--body', 'How are you?')
    const client = await talk(PORT)
    await client.hear()
    await client.say('HELO client.shop.example\r\n')
    await client.say('NOOP\r\n')
    await client.say('mail from:<>\r\n')
    await client.say('RCPT TO:<nobody@shop.example>\r\n')
    await client.say('DATA\r\n')
    await client.say('RCPT TO:<later@shop.example>\r\n')
    await client.say('RCPT TO:<bob@elsewhere.example>\r\n')
    await client.say('RCPT TO:<bob@shop.example>\r\n')
    await client.say('DATA\r\n')
    await client.say(`${mail('bad words\r\n..\r\n.dots')}`, 20)
    await client.say('.\r\n')
    await client.say('RSET\r\n')
    await client.say('VRFY bob\r\n')
    await client.say('WHATEVER this is\r\n')
    await client.say('QUIT\r\n')
    await client.end()
  })

  await record('smtp', 'pipelined', `tcp port ${PORT}`, async () => {
    const client = await talk(PORT)
    await client.hear()
    await client.say('EHLO client.shop.example\r\n')
    for (const name of ['bob', 'eve']) {
      await client.say(
        `MAIL FROM:<ann@shop.example> SIZE=1000\r\nRCPT TO:<${name}@shop.example>\r\nRCPT TO:<nobody@shop.example>\r\nRCPT TO:<dan@shop.example>\r\nDATA\r\n`,
      )
      await client.say(`${mail('line\r\n'.repeat(300))}.\r\n`)
    }
    const chunk = mail('in chunks')
    await client.say('MAIL FROM:<ann@shop.example>\r\nRCPT TO:<bob@shop.example>\r\n')
    await client.say(`BDAT ${chunk.length}\r\n${chunk}`)
    await client.say('BDAT 6 LAST\r\nthe end'.slice(0, -1))
    await client.say('QUIT\r\n')
    await client.end()
  })

  await record('smtp', 'auth', `tcp port ${PORT}`, async () => {
    const encode = (text) => Buffer.from(text).toString('base64')
    const client = await talk(PORT)
    await client.hear()
    await client.say('EHLO client.shop.example\r\n')
    await client.say(`AUTH PLAIN ${encode('\0ann\0wrong horse')}\r\n`)
    await client.say('AUTH LOGIN\r\n')
    await client.say(`${encode('ann')}\r\n`)
    await client.say(`${encode('wrong horse')}\r\n`)
    await client.say('AUTH CRAM-MD5\r\n')
    await client.say(`AUTH LOGIN ${encode('ann')}\r\n`)
    await client.say(`${encode('battery staple')}\r\n`)
    await client.say('QUIT\r\n')
    await client.end()
  })

  await record('smtp', 'starttls', `tcp port ${PORT}`, async () => {
    await swaks(
      '--to',
      'bob@shop.example',
      '--tls',
      '--body',
      'a secret',
      '--auth',
      'PLAIN',
      '--auth-user',
      'ann',
      '--auth-password',
      'battery staple',
    )
  })

  await record('smtp', 'lmtp', `tcp port ${LMTP}`, async () => {
    const client = await talk(LMTP)
    await client.hear()
    await client.say('LHLO client.shop.example\r\n')
    await client.say('MAIL FROM:<ann@shop.example>\r\n')
    for (const name of ['bob', 'eve', 'dan']) await client.say(`RCPT TO:<${name}@shop.example>\r\n`)
    await client.say('DATA\r\n')
    await client.say(`${mail('to all of you')}.\r\n`)
    await client.say('QUIT\r\n')
    await client.end()
  })
} finally {
  lmtp.close()
  await finish()
}
