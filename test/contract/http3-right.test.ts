import { type Call, Dissection } from '@tapdeck/dissect'
import { KeyStore } from '@tapdeck/tls'
import { feed } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { giveToken } from '../../apps/hub/src/testing/give-token.ts'
import { IndexWorker } from '../../apps/hub/src/testing/index-worker.ts'
import { startHub, type TestHub } from '../../apps/hub/src/testing/start-hub.ts'
import { request, response } from '../../packages/dissect/src/protocols/http3/testing/http3-bytes.ts'
import { QuicSession, streamFrame } from '../../packages/dissect/src/protocols/quic/testing/quic-session.ts'

/** What HTTP/3 requests say is for callers with `tls:read`, as it is inside TLS over TCP. */
const [PATH, BODY] = ['/only-inside-of-quic', 'an answer for readers only']
const config = [
  'tap.auth.enabled=true',
  'tap.auth.roles.reader.capabilities={dissection:live,tls:read}',
  'tap.auth.roles.outsider.capabilities={dissection:live}',
]
let hub: TestHub
let worker: IndexWorker
let quicCalls = 0

beforeAll(async () => {
  const session = new QuicSession()
    .send(0, streamFrame(0, 0, request(PATH), true))
    .send(1, streamFrame(0, 0, response(BODY), true))
  const keys = new KeyStore()
  keys.addKeyLog(session.keyLog, 'test')
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call), keys: () => keys })
  feed(dissection, session.packets)
  dissection.end()
  quicCalls = calls.length
  hub = await startHub({ set: config })
  worker = await IndexWorker.open('n1')
  await worker.addCalls(calls)
  await hub.worker('n1', worker.answers)
})
afterAll(async () => {
  await hub.stop()
  await worker.close()
})

test('a caller with tls:read sees the request inside of QUIC, any other the handshake only', async () => {
  expect(quicCalls).toBe(2)
  const { headers: reader } = giveToken(hub.folder, 'reader')
  const { headers: outsider } = giveToken(hub.folder, 'outsider')
  const all = await hub.get('/api/calls?format=full&start=0', reader)
  expect(all.json.calls).toHaveLength(2)
  expect(all.text).toContain(PATH)
  expect(all.text).toContain(BODY)
  const { id } = all.json.calls.find(({ proto }: { proto: string }) => proto === 'http')
  const outside = await hub.get('/api/calls?format=full&start=0', outsider)
  expect(outside.json.calls).toMatchObject([{ proto: 'quic' }])
  const others = [
    outside,
    await hub.get(`/api/calls/${id}`, outsider),
    await hub.get(`/api/calls?format=full&start=0&kfl=${encodeURIComponent('http or decrypted')}`, outsider),
    await hub.get('/api/stats?group_by=path&start=0', outsider),
  ]
  for (const { text } of others) {
    expect(text).not.toContain(PATH)
    expect(text).not.toContain(BODY)
  }
})
