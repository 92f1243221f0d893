import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/** What the protocol offers, with the official client, over both transports alike. */

const command = fileURLToPath(new URL('../../dist/tapdeck.mjs', import.meta.url))
let tapdeck: RunningTapdeck
let shop: Server
const clients: Client[] = []
/** Far above what a slow machine needs, and less than the limit of a test. */
const CALL_TIMEOUT = 150_000
let taken = 0
const nextName = () => `taken-${++taken}`

beforeAll(async () => {
  tapdeck = await RunningTapdeck.start(['tap.capture.dissection.stopAfter=0'])
  shop = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(shop, 'listening')
  const { port } = shop.address() as AddressInfo
  const assistant = await connect('HTTP')
  // Recorded and indexed: what is captured first may be before the worker listens.
  await until(async () => {
    await (await fetch(`http://127.0.0.1:${port}/orders/1`)).text()
    const { total } = await answerOf(assistant, 'list_api_calls', { kfl: `dst.port == ${port}` })
    const { cluster } = await answerOf(assistant, 'get_data_boundaries', {})
    return total > 0 && cluster.newest_ts !== null
  })
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

afterAll(async () => {
  shop?.closeAllConnections()
  shop?.close()
  await tapdeck?.stop()
})

async function connect(transport: 'HTTP' | 'stdio', structured = false): Promise<Client> {
  const client = new Client({ name: 'an-assistant', version: '1' })
  clients.push(client)
  if (transport === 'HTTP') {
    const url = new URL(`${tapdeck.url}/mcp${structured ? '?structured=true' : ''}`)
    await client.connect(new StreamableHTTPClientTransport(url))
  } else {
    const args = [command, 'mcp', '--url', tapdeck.url, ...(structured ? ['--structured'] : [])]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  }
  return client
}

async function answerOf(client: Client, name: string, input: Record<string, unknown>) {
  const { isError, content } = await client.callTool({ name, arguments: input })
  const [{ text } = { text: '{}' }] = content as { text: string }[]
  expect(isError, text).toBeFalsy()
  return JSON.parse(text)
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt++) {
    if (await holds()) return
    await sleep(250)
  }
  throw new Error('it did not come to that')
}

describe.each(['HTTP', 'stdio'] as const)('over %s, the official client', (transport) => {
  test('gets a name, a version and instructions at the start, and lists what there is', async () => {
    const client = await connect(transport)
    expect(client.getServerVersion()).toMatchObject({ name: 'tapdeck', version: expect.any(String) })
    expect(client.getInstructions()).toContain('find_suspects')
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, prompts: {}, resources: {} })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['find_suspects', 'explain_call', 'capture_and_dissect']),
    )
  })

  test('calls tools: an answer, and an error with the next step', async () => {
    const client = await connect(transport)
    const { calls } = await answerOf(client, 'list_api_calls', { kfl: 'path == "/orders/1"', limit: 1 })
    const explained = await answerOf(client, 'explain_call', { id: calls[0].id })
    expect(explained.summary).toContain('/orders/1')
    const wrong = await client.callTool({ name: 'list_api_calls', arguments: { kfl: 'dst.prt == 80' } })
    expect([wrong.isError, JSON.stringify(wrong.content)]).toEqual([
      true,
      expect.stringContaining('dst.port'),
    ])
    await expect(client.callTool({ name: 'drop_everything', arguments: {} })).rejects.toThrow(
      'drop_everything',
    )
  })

  test('reads prompts and resources', async () => {
    const client = await connect(transport)
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toContain('rewind_incident')
    const { messages } = await client.getPrompt({ name: 'find_errors', arguments: {} })
    expect(JSON.stringify(messages)).toContain('find_suspects')
    const { resources } = await client.listResources()
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri })
      expect(contents.length).toBeGreaterThan(0)
    }
    expect(resources.map(({ uri }) => uri)).toContain('tapdeck://kfl')
  })

  test('gets structured answers that fit their schemas', async () => {
    const client = await connect(transport, true)
    // The client checks each answer against the schema that was listed.
    const { tools } = await client.listTools()
    const readable = tools.filter(
      ({ annotations, inputSchema }) => annotations?.readOnlyHint && !inputSchema.required?.length,
    )
    expect(readable.length).toBeGreaterThan(5)
    for (const { name, outputSchema } of readable) {
      expect(outputSchema?.type, name).toBe('object')
      const { structuredContent, isError } = await client.callTool({ name, arguments: {} })
      if (!isError) expect(structuredContent, name).toBeTypeOf('object')
    }
  })

  test('follows the progress of a long call', async () => {
    const client = await connect(transport)
    const steps: number[] = []
    // The client drops progress that it reads together with the answer, as it may on a busy host: then another call is made.
    await until(async () => {
      const { isError, content } = await client.callTool(
        { name: 'capture_and_dissect', arguments: { name: nextName(), duration: '10m' } },
        undefined,
        { onprogress: ({ progress }) => void steps.push(progress), timeout: CALL_TIMEOUT },
      )
      expect(isError, JSON.stringify(content)).toBeFalsy()
      expect(steps).toEqual(steps.toSorted((a, b) => a - b))
      return steps.length > 0
    })
  })

  test('cancels a call, and the session goes on', async () => {
    const client = await connect(transport)
    // For the same reason, a call may be answered before the client sees progress.
    await until(async () => {
      const cancelled = new AbortController()
      const outcome = await client
        .callTool(
          { name: 'capture_and_dissect', arguments: { name: nextName(), duration: '10m' } },
          undefined,
          {
            onprogress: () => cancelled.abort('enough'),
            ...{ signal: cancelled.signal, timeout: CALL_TIMEOUT },
          },
        )
        .catch(String)
      if (typeof outcome === 'string') expect(outcome).toContain('enough')
      else expect(outcome.isError, JSON.stringify(outcome.content)).toBeFalsy()
      return typeof outcome === 'string'
    })
    // Whatever was finished before the cancellation came stays; nothing is under way.
    await until(async () => {
      const { snapshots } = await answerOf(client, 'list_snapshots', {})
      const { dissections } = await answerOf(client, 'list_snapshot_dissections', {})
      const open = [...snapshots, ...dissections].filter(({ status }) =>
        /pending|progress|running/.test(status),
      )
      return open.length === 0
    })
  })
})
