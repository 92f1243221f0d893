import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CompactCall } from '@tapdeck/dissect'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../testing/start-hub.ts'
import { OwnConnections } from './own-connections.ts'
import { WebhookAction } from './webhook-action.ts'
import { isRefused } from './webhook-address.ts'

interface Got {
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly url: string
}

let server: Server
let action: WebhookAction
const got: Got[] = []
afterEach(() => {
  action.close()
  server.closeAllConnections()
  server.close()
  got.length = 0
})

/** A true receiver; `answer` says what it does with the n-th request. */
async function receiver(answer: (response: ServerResponse, count: number) => void): Promise<string> {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push({ headers: request.headers, body, url: request.url! })
    answer(response, got.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const call = (path: string): CompactCall => {
  const end = { ip: '10.0.0.1', port: 80 }
  return { id: `n/1/${path}`, ts: 1, src: end, dst: end, proto: 'http', path }
}
const started = (url: string, secret?: string) => {
  action = new WebhookAction({
    agent: 'shop',
    url,
    secret,
    own: new OwnConnections(),
    now: () => 0,
    backOff: 5,
  })
  return action
}

describe('a webhook', () => {
  it('carries the calls, signed so that a receiver can check time and body', async () => {
    const url = await receiver((response) => response.writeHead(204).end())
    started(url, 'a very secret word').take([call('/a'), call('/b')], 4)
    await until(
      () => action.state.done,
      (done) => done === 1,
    )
    const [{ headers, body }] = got as [Got]
    // Nothing else of the agent goes out, such as its filter.
    expect(JSON.parse(body)).toEqual({
      agent: 'shop',
      sent_at: '1970-01-01T00:00:00.000Z',
      calls: [call('/a'), call('/b')],
      lost: 4,
    })
    const stamp = headers['x-tapdeck-timestamp']
    const expected = createHmac('sha256', 'a very secret word').update(`${stamp}.${body}`).digest('hex')
    expect(headers['x-tapdeck-signature']).toBe(`sha256=${expected}`)
    expect(body).not.toContain('secret')
  })

  it('is tried again after errors of the receiver, under the same number', async () => {
    const url = await receiver((response, count) => response.writeHead(count < 3 ? 503 : 200).end())
    started(url).take([call('/a')], 0)
    await until(
      () => action.state.done,
      (done) => done === 1,
    )
    expect(got.length).toBe(3)
    expect(new Set(got.map(({ headers }) => headers['x-tapdeck-delivery'])).size).toBe(1)
  })

  it('is given up where the receiver does not want it, and after so many attempts', async () => {
    const url = await receiver((response, count) => response.writeHead(count === 1 ? 400 : 500).end())
    started(url).take([call('/a')], 0)
    await until(
      () => action.state.failed,
      (failed) => failed === 1,
    )
    expect([got.length, action.state.last_error]).toEqual([1, 'the receiver returned 400'])
    action.take([call('/b')], 0)
    await until(
      () => action.state.failed,
      (failed) => failed === 2,
    )
    expect(got.length).toBe(6)
  })

  it('follows no redirect', async () => {
    const url = await receiver((response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    )
    started(url).take([call('/a')], 0)
    await until(
      () => action.state.failed,
      (failed) => failed === 1,
    )
    expect([got.length, action.state.last_error]).toEqual([1, 'the receiver returned 302'])
  })

  it('waits in a bounded queue while the receiver hangs, and what has no room is counted', async () => {
    const url = await receiver(() => {})
    started(url)
    action.take(
      Array.from({ length: 100 * 150 }, (_, at) => call(`/${at}`)),
      0,
    )
    expect(action.state).toMatchObject({ waiting: 100, dropped: 50 })
  })

  it('reports a receiver that does not answer', async () => {
    const url = await receiver(() => {})
    server.closeAllConnections()
    server.close()
    started(url).take([call('/a')], 0)
    await until(
      () => action.state.failed,
      (failed) => failed === 1,
    )
    expect(action.state.last_error).toMatch(/ECONNREFUSED/)
  })

  it('never goes to link-local addresses and metadata of clouds, however they are written', async () => {
    for (const address of [
      '169.254.169.254',
      '100.100.100.200',
      '192.0.0.192',
      '::ffff:100.100.100.200',
      '::ffff:169.254.169.254',
      'fe80::1',
      '0.0.0.0',
      '::',
      'ff02::1',
      'fd00:ec2::254',
      'fd00:ec2::23',
      'fd20:ce::254',
      'FD20:CE:0::0254',
      'fd00:c1::a9fe:a9fe',
      'fd00:42::42',
      'fd00:a9fe:a9fe::1',
      'fd00:100::100:200',
      '168.63.129.16',
      '::ffff:168.63.129.16',
      '64:ff9b::168.63.129.16',
      '2002:a83f:8110::1',
      'x',
      'fe80::1%eth0',
      '::169.254.169.254',
      '::ffff:0:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1:a9fe:a9:fe00::',
      '64:ff9b:1:0:a9:fea9:fe00:0',
      '64:ff9b:1::a9fe:a9fe',
      '2002:a9fe:a9fe::1',
      '2001:0:a9fe:a9fe::1',
      '2001:0:102:304:0:ffff:5601:5601',
      'fd12::5efe:169.254.169.254',
      'fd12::200:5efe:169.254.169.254',
      '2002:e000:1::',
      '64:ff9b::',
    ])
      expect(isRefused(address), address).toBe(true)
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '192.168.1.1',
      '93.184.216.34',
      '168.63.129.17',
      'fd20:ce::255',
      'fd12::1',
      '::1',
      '64:ff9b::10.0.0.1',
      '2002:0a00:0001::1',
      '::ffff:10.0.0.1',
      '2001:db8::1',
    ])
      expect(isRefused(address), address).toBe(false)
    await receiver(() => {})
    for (const host of [
      '169.254.169.254',
      '168.63.129.16',
      '[fd20:ce::254]',
      '[::ffff:a9fe:a9fe]',
      '2852039166',
      '0xa9fea9fe',
    ]) {
      started(`http://${host}/latest`).take([call('/a')], 0)
      await until(
        () => action.state.failed,
        (failed) => failed === 1,
      )
      expect(action.state.last_error).toMatch(/not allowed/)
    }
  })
})
