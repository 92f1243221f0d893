import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { candidates } from './candidates.ts'
import { Connection } from './connection.ts'
import { Reading } from './reading.ts'
import { tablesOf } from './tables.ts'

/** A server that has so many rows, with payloads of `payloadBytes`; what it was asked. */
let rowsLeft: number
let payloadBytes: number
let limits: number[]
let settings: URLSearchParams
let server: Server
let connection: Connection

beforeEach(async () => {
  limits = []
  server = createServer((request, response) => {
    settings = new URL(request.url ?? '', 'http://server').searchParams
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const limit = Number(/LIMIT (\d+)/.exec(Buffer.concat(chunks).toString())?.[1])
      limits.push(limit)
      const peer = ['10.0.0.1', 80, null, null, null, null, null, null]
      const digits = '00'.repeat(payloadBytes)
      const head = [1, 1, 1, 'n', 'live', null, 'http', null, null, null, null, null, null, null, null, null]
      const row = JSON.stringify([...head, ...peer, ...peer, null, digits])
      const rows = Math.min(limit, rowsLeft)
      rowsLeft -= rows
      response.end(`${row}\n`.repeat(rows))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  connection = new Connection({ url: `http://127.0.0.1:${port}`, database: 'd', timeoutMs: 20_000 }, 1e9)
})

afterEach(async () => {
  await connection.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function read(rows: number, batch: number): Promise<number> {
  rowsLeft = rows
  let found = 0
  const reading = new Reading(connection, tablesOf('t'), 'n')
  for await (const _ of candidates(reading, { where: 'true', order: 'newest', batch })) found++
  return found
}

test('after calls with large bodies, fewer are asked for', async () => {
  payloadBytes = 64 * 1024
  expect(await read(128, 1001)).toBe(128)
  expect(limits).toEqual([128, 254])
})

test('a page of small calls asks for no more rows than it has', async () => {
  payloadBytes = 10
  expect(await read(1000, 1001)).toBe(1000)
  expect(limits).toEqual([128, 873])
})

test('the server gives a query up before the client does', async () => {
  payloadBytes = 10
  await read(0, 1)
  expect(settings.get('max_execution_time')).toBe('18')
})
