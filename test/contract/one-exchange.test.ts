import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Inventory } from '@tapdeck/inventory'
import { madeCaptures, madeInventory, twoNodeCaptures } from '@tapdeck/pipeline/testing'
import { isUndecided, reportedCalls } from '@tapdeck/questions'
import { CaptureReader } from '@tapdeck/wire'
import { type BuiltPacket, follow, trials } from '@tapdeck/wire/testing'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inDissection, inRewind, liveOf, onCommandLine, type PathResult } from './four-paths.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-one-exchange-'))
const entry = join(folder, 'thread.mjs')
const root = join(import.meta.dirname, '../..')

beforeAll(() =>
  build({
    entryPoints: [join(root, 'apps/cli/src/dissect/dissect-program.ts')],
    outfile: entry,
    ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

/** A call as the made captures list it. */
const told = ({ path, status, error, delivery, src, dst }: PathResult['calls'][number]) => [
  path,
  error ?? delivery ?? status,
  src.pod,
  dst.pod,
  dst.svc,
]

/** What each path makes of the packets. */
async function allPaths(
  packets: readonly BuiltPacket[],
  inventory: Inventory = madeInventory,
): Promise<Readonly<Record<string, PathResult>>> {
  return {
    'command line': await onCommandLine(packets, inventory, 1, entry),
    'dissection, one thread': await inDissection(packets, inventory, 1),
    'dissection, two threads': await inDissection(packets, inventory, 2),
    live: liveOf(packets, inventory).result,
    rewind: await inRewind(packets, inventory),
  }
}

describe('an exchange that is captured several times is one call with the names of its real ends, on every path', () => {
  test.each(madeCaptures.map((capture) => [capture.name, capture] as const))('%s', async (_name, capture) => {
    const expected = [...capture.calls].sort()
    for (const [path, { calls, flows }] of Object.entries(await allPaths(capture.packets))) {
      expect(calls.map(told).sort(), path).toEqual(expected)
      expect(flows, path).toBe(capture.flows)
    }
    const { recorder, streams } = follow(capture.packets)
    const retransmissions = recorder.flows.map(({ tcp }) => tcp?.retransmissions ?? 0)
    expect(Math.max(...retransmissions)).toBe(capture.retransmissions)
    expect(Math.max(...recorder.flows.map(({ tcp }) => tcp?.duplicate_acks ?? 0))).toBe(0)
    expect(streams.packets).toBe(capture.packets.length)
    if (capture.duplicates !== undefined)
      expect(liveOf(capture.packets, madeInventory).duplicates).toEqual(capture.duplicates)
  })

  test('with threads on the command line', async () => {
    const { packets, calls } = madeCaptures.at(-1)!
    const found = await onCommandLine(packets, madeInventory, 2, entry)
    expect(found.calls).toHaveLength(calls.length)
    expect(found).toEqual(await onCommandLine(packets, madeInventory, 1, entry))
  })
})

test.each(twoNodeCaptures.map((capture) => [capture.name, capture] as const))(
  'an exchange between two nodes is reported by one of them, on every path: %s',
  async (_name, capture) => {
    const nodes = ['n1', 'n2'] as const
    const seen = await Promise.all(nodes.map((node) => allPaths(capture.nodes[node])))
    for (const path of Object.keys(seen[0])) {
      const reported = nodes.flatMap((node, at) =>
        seen[at]![path]!.calls.filter(reportedCalls({ node, nodes, settled: true })),
      )
      expect(reported.map(told), path).toEqual(capture.calls)
    }
  },
)

/** What a node knows before the names of some pods have reached it. */
const without = (...pods: readonly string[]): Inventory => ({
  ...madeInventory,
  pods: madeInventory.pods.filter(({ name }) => !pods.includes(name)),
})
const [client, server] = ['web-1', 'orders-1']

test.each([
  ['the client', [without(client), madeInventory]],
  ['the client, on the other node', [madeInventory, without(client)]],
  ['the server', [without(server), madeInventory]],
  ['the server, on the other node', [madeInventory, without(server)]],
  ['another end on each node', [without(client), without(server)]],
  ['another end on each node, the other way round', [without(server), without(client)]],
  ['both ends', [without(client, server), without(client, server)]],
] as const)(
  'where the nodes do not know %s, no exchange is left out on any path, and those that are there twice are undecided',
  async (_unknown, known) => {
    const nodes = ['n1', 'n2'] as const
    for (const { nodes: captured, calls, name } of twoNodeCaptures) {
      const seen = await Promise.all(nodes.map((node, at) => allPaths(captured[node], known[at])))
      for (const path of Object.keys(seen[0])) {
        const [one, other] = nodes.map((node, at) =>
          seen[at]![path]!.calls.filter(reportedCalls({ node, nodes })),
        )
        const counts = [one!.length, other!.length]
        expect(Math.max(...counts), `${name}, ${path}`).toBe(calls.length)
        if (Math.min(...counts) > 0)
          expect([...one!, ...other!].some((call) => isUndecided(call, false))).toBe(true)
      }
    }
  },
)

/** All captures of the repository: folder of the protocol, name. */
const captures = readdirSync(join(root, 'packages/dissect/src/protocols'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => name.endsWith('.pcap'))
  .sort()
const every = Math.ceil(captures.length / trials(captures.length, 12))

test.each(captures.filter((_, at) => at % every === 0))('%s gives the same on all paths', async (name) => {
  const packets: BuiltPacket[] = []
  const reader = new CaptureReader(
    {
      packet(data, start, end, length, time, link) {
        if (link === 1) packets.push({ data: data.slice(start, end), time: Math.floor(time), length })
      },
    },
    {},
  )
  reader.push(new Uint8Array(readFileSync(join(root, 'packages/dissect/src/protocols', name))))
  reader.end()
  const { 'command line': first, ...others } = await allPaths(packets)
  for (const [path, result] of Object.entries(others)) expect(result, path).toEqual(first)
})
