import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { linkPath, streamPath } from '@tapdeck/api'
import { workerCredential } from '@tapdeck/api/credentials'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { credential, startHub, type TestHub } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

/** An address of this machine that is not the loopback, as another machine would use it. */
const outward = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function start(...set: string[]): Promise<{ readonly port: number; readonly ca: Buffer }> {
  const port = await freePort()
  hub = await startHub({ set: [`hub.link.port=${port}`, 'tap.auth.enabled=true', ...set] })
  hub.port = await hub.listen(outward ? '0.0.0.0' : '127.0.0.1', 0)
  return { port, ca: readFileSync(join(hub.folder, 'link-ca.pem')) }
}

const authorization = `Bearer ${workerCredential(credential, 'n1')}`
/** `open`, the status of a refusal, or the error. */
function connects(url: string, options: object = {}): Promise<string> {
  const socket = new WebSocket(url, { headers: { authorization }, ...options })
  return new Promise((resolve) => {
    socket.on('open', () => {
      socket.close()
      resolve('open')
    })
    socket.on('unexpected-response', (_, response) => resolve(String(response.statusCode)))
    socket.on('error', (error) => resolve(error.message))
  })
}

it('takes workers with TLS of the own authority, and nothing else', async () => {
  const { port, ca } = await start()
  expect(await connects(`wss://127.0.0.1:${port}${linkPath}`, { ca })).toBe('open')
  expect(await connects(`wss://127.0.0.1:${port}${linkPath}`)).toMatch(/certificate/)
  expect(await connects(`ws://127.0.0.1:${port}${linkPath}`)).toMatch(/hang up|ECONNRESET/)
  expect(await connects(`wss://127.0.0.1:${port}${linkPath}`, { ca, headers: {} })).toBe('401')
  expect(await connects(`wss://127.0.0.1:${port}${streamPath}`, { ca })).toBe('404')
  const [answer] = await once(request({ port, ca, path: '/healthz' }).end(), 'response')
  expect(answer.statusCode).toBe(404)
  answer.resume()
})

it.runIf(outward)(
  'with authentication, other machines reach the API and the link only with TLS',
  async () => {
    const { port, ca } = await start('hub.link.names[0]=hub.example')
    const status = async (host: string, path: string) => {
      const [answer] = await once(plainRequest({ host, port: hub.port, path }).end(), 'response')
      let text = ''
      for await (const piece of answer) text += piece
      return [answer.statusCode, /"code":"(\w+)"/.exec(text)?.[1]]
    }
    expect(await status(outward!, '/api/status')).toEqual([403, 'tls_required'])
    expect(await status(outward!, '/')).toEqual([403, 'tls_required'])
    expect((await status('127.0.0.1', '/api/status'))[0]).toBe(401)
    expect((await status(outward!, '/healthz'))[0]).toBe(200)
    expect(await connects(`ws://${outward}:${hub.port}${linkPath}`)).toBe('403')
    const options = { ca, servername: 'hub.example' }
    expect(await connects(`wss://${outward}:${port}${linkPath}`, options)).toBe('open')
  },
)

it.runIf(outward)(
  'without authentication, workers of other machines still need the port for workers',
  async () => {
    const { port, ca } = await start('tap.auth.enabled=false', 'hub.link.names[0]=hub.example')
    expect(await connects(`ws://${outward}:${hub.port}${linkPath}`)).toBe('403')
    expect(await connects(`ws://127.0.0.1:${hub.port}${linkPath}`)).toBe('open')
    expect(await connects(`wss://${outward}:${port}${linkPath}`, { ca, servername: 'hub.example' })).toBe(
      'open',
    )
  },
)
