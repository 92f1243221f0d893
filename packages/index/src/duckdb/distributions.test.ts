import { expect, it } from 'vitest'
import { everything, inFolder } from '../contract/check.ts'
import { inSmallChunks } from '../testing/in-small-chunks.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { sampleFlow } from '../testing/sample-flow.ts'
import { openIndex } from './open-index.ts'

const paths = ["/a'b", '/a\0b', '\0', '/%_\\', '/a\u001fb']

it.each([
  ['few', openIndex],
  ['many', inSmallChunks],
])('knows the values of groups whose names have any character, in %s chunks', (_, how) =>
  inFolder(how, async (open) => {
    const index = await open()
    for (const [at, path] of paths.entries()) {
      const flow = sampleFlow({ id: at + 1, clientPort: 1000 + at, handshake: 100 })
      const peers = samplePeers(flow, { pod: path, ns: "n's" })
      for (let ordinal = 0; ordinal < 3; ordinal++) index.append(sampleCall({ flow, ordinal, path }), peers)
      await index.flush()
    }
    const names = [...paths].sort()
    const asked = { filter: everything, limit: 10, distributions: true } as const
    for (const group_by of ['path', 'src'] as const) {
      const { groups } = await index.stats({ ...asked, group_by })
      expect(groups.map(({ group }) => group).sort()).toEqual(names)
      for (const { latencies, handshakes } of groups)
        expect([latencies?.values, handshakes?.values]).toMatchObject([[[expect.any(Number), 3]], [[100, 1]]])
      const only = groups.slice(0, 2).map(({ group, ns }) => ({ group, ...(ns && { ns }) }))
      expect((await index.stats({ ...asked, group_by, only })).groups).toHaveLength(2)
    }
    const { flows } = await index.flows({ limit: 10, order: 'key', aggregate: 'pod', distributions: true })
    expect(flows.map(({ client }) => client.pod).sort()).toEqual(names)
    for (const { handshakes } of flows) expect(handshakes?.values).toEqual([[100, 1]])
  }),
)
