import { afterEach, expect, it, vi } from 'vitest'
import { inFolder } from '../contract/check.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { sampleFlow } from '../testing/sample-flow.ts'
import { Engine } from './engine.ts'
import { openIndexInChunks } from './open-index.ts'

const oneByOne = { rows: 1, groups: { chunksAtOnce: 1, chunksOfMany: 1 } }

afterEach(() => vi.restoreAllMocks())

it('counts a flow once if its first row in the newest chunk is written between two groups of chunks', () =>
  inFolder(
    (folder, options, catalog) => openIndexInChunks(folder, options, catalog, oneByOne),
    async (open) => {
      const index = await open()
      const flow = sampleFlow()
      index.append(sampleCall({ flow }), samplePeers(flow))
      // The chunk is full: the next one begins, and the flow that is open is due in it.
      await index.flush()
      const rows = Engine.prototype.rows
      vi.spyOn(Engine.prototype, 'rows').mockImplementation(async function (this: Engine, sql) {
        const found = await rows.call(this, sql)
        if (sql.includes('collected_') && sql.startsWith('CREATE')) await index.flush()
        return found
      })
      const { flows } = await index.flows({ limit: 10, order: 'bytes' })
      expect(flows).toMatchObject([{ flows: 1, totals: { pkts: 7, bytes: 1300 } }])
      await index.flush()
      expect((await index.flows({ limit: 10, order: 'bytes' })).flows).toMatchObject(flows)
    },
  ))
