import { expect, test } from 'vitest'
import type { CallSource } from '../query/call-source.ts'
import { bothEnds } from './both-ends.ts'

const src = { ip: '10.244.1.3', port: 40_000, node: 'n1' }
const dst = { ip: '10.244.2.2', port: 8080, node: 'n2' }
const call = {
  id: 'n1/7/0',
  ts: 1000,
  src,
  dst,
  proto: 'http',
  method: 'GET',
  path: '/',
  status: 200,
  latency_ms: 12,
}

/** A node that holds these calls. */
function holding(node: string, calls: readonly object[]): CallSource & { readonly asked: unknown[] } {
  const asked: unknown[] = []
  return {
    node,
    asked,
    async ask(question, input) {
      asked.push([question, input])
      return { calls, cursors: [], total: calls.length, total_is: 'exact' } as never
    },
  }
}

test('the time of the server and the time on the network are separate', async () => {
  const others = [
    { ...call, id: 'n2/9/0', ts: 1400, latency_ms: 3 },
    { ...call, id: 'n2/9/1', ts: 1001, latency_ms: 10.5 },
    { ...call, id: 'n2/9/2', ts: 1000, status: 500, latency_ms: 1 },
  ]
  const server = holding('n2', others)
  const expected = { client_node: 'n1', server_node: 'n2', client_ms: 12, server_ms: 10.5, network_ms: 1.5 }
  expect(await bothEnds(call, [holding('n1', []), server])).toEqual({
    ...expected,
    other_id: 'n2/9/1',
    clock_difference_ms: 1,
  })
  expect(JSON.stringify(server.asked)).toContain('src.port == 40000')
  // The same from the other side.
  const [, atServer] = others
  expect(await bothEnds(atServer!, [holding('n1', [call])])).toMatchObject({
    ...expected,
    other_id: 'n1/7/0',
  })
})

test('a call that one node alone has says nothing of the network', async () => {
  expect(await bothEnds(call, [holding('n2', [])])).toBeUndefined()
  expect(await bothEnds(call, [])).toBeUndefined()
  expect(await bothEnds({ ...call, dst: { ...dst, node: 'n1' } }, [holding('n1', [call])])).toBeUndefined()
})
