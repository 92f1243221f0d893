import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, expect, test } from 'vitest'
import { McpBridge } from './mcp-bridge.ts'

let hub: Server | undefined
afterEach(() => {
  hub?.closeAllConnections()
  hub?.close()
})

/** A hub that thinks for a while before it answers, or never does. */
async function thinkingHub(ms: number): Promise<URL> {
  hub = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id } = JSON.parse(body)
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { echo: id } })
      if (Number.isFinite(ms))
        setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(answer), ms)
    })
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => hub!.once('listening', listening))
  return new URL(`http://127.0.0.1:${(hub.address() as AddressInfo).port}/mcp`)
}

function assistant(): Transport & { readonly heard: JSONRPCMessage[] } {
  const heard: JSONRPCMessage[] = []
  return {
    heard,
    start: async () => {},
    send: async (message) => void heard.push(message),
    async close() {
      this.onclose?.()
    },
  }
}

test('what was asked before the assistant left is answered', async () => {
  const talker = assistant()
  const bridge = new McpBridge(talker, { url: await thinkingHub(150), note: () => {} })
  const done = bridge.run()
  await expect.poll(() => talker.onmessage).toBeDefined()
  for (const id of [1, 2]) talker.onmessage?.({ jsonrpc: '2.0', id, method: 'tools/list' })
  await bridge.leave()
  await done
  expect(talker.heard).toHaveLength(2)
  expect(talker.heard).toEqual(
    expect.arrayContaining([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: { echo: id } }))),
  )
})

test('a hub that never answers does not keep the bridge open', async () => {
  const talker = assistant()
  const bridge = new McpBridge(talker, { url: await thinkingHub(Number.POSITIVE_INFINITY), note: () => {} })
  const done = bridge.run()
  await expect.poll(() => talker.onmessage).toBeDefined()
  talker.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  await bridge.leave(100)
  await done
})

test('a missing hub is reported, before and after', async () => {
  const url = await thinkingHub(0)
  hub!.close()
  const talker = assistant()
  const bridge = new McpBridge(talker, { url, note: () => {} })
  const done = bridge.run()
  await expect.poll(() => talker.onmessage).toBeDefined()
  talker.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  await bridge.leave()
  await done
  expect(JSON.stringify(talker.heard)).toContain('no hub answers')
})
