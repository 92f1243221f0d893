// Makes the capture of quic: Chromium, configured to use QUIC at once, connects to a port without a server. Needs chromium
// and tcpdump; run as root. The golden is then written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/quic
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { finish, record, work } from './recorder.mjs'

const PORT = 14470

await record('quic', 'chromium', `udp port ${PORT}`, async () => {
  const silent = createSocket('udp4').bind(PORT, '127.0.0.1')
  await once(silent, 'listening')
  const browser = spawn(
    'chromium',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      `--user-data-dir=${join(work, 'profile')}`,
      '--enable-quic',
      `--origin-to-force-quic-on=quic.test:${PORT}`,
      '--host-resolver-rules=MAP quic.test 127.0.0.1',
      `https://quic.test:${PORT}/`,
    ],
    { stdio: 'ignore' },
  )
  let heard = 0
  silent.on('message', () => heard++)
  for (let waited = 0; heard < 4 && waited < 150; waited++) await sleep(100)
  browser.kill()
  await once(browser, 'exit')
  silent.close()
})
await sleep(500)
await finish()
