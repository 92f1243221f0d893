import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { ids, inFolder, kfl, NODE } from '../contract/check.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { sampleFlow } from '../testing/sample-flow.ts'
import { openIndex } from './open-index.ts'

test.each([true, false])(
  'an index of an older version is read and completed (read only: %s)',
  async (readOnly) => {
    await inFolder(openIndex, async (open, folder) => {
      const flow = sampleFlow()
      const index = await open()
      index.append(sampleCall({ flow, path: '/users/42' }), samplePeers(flow))
      await index.close()
      const old = await DuckDBInstance.create(join(folder, 'chunk-000001', 'calls.duckdb'))
      const connection = await old.connect()
      for (const column of ['tls', 'connection_end', 'template', 'waited_us'])
        await connection.run(`ALTER TABLE calls DROP COLUMN ${column}`)
      for (const what of ['zero_window', 'fin', 'reset'])
        for (const side of ['client', 'server'])
          await connection.run(`ALTER TABLE flows DROP COLUMN ${side}_${what}_us`)
      await connection.run('ALTER TABLE flows DROP COLUMN late')
      connection.closeSync()
      old.closeSync()
      const again = await open({ readOnly })
      expect(await ids(again, kfl('not decrypted'))).toEqual([`${NODE}/4711/0`])
      expect(await ids(again, kfl('decrypted'))).toEqual([])
      const { groups } = await again.stats({ filter: kfl(''), group_by: 'path', limit: 9 })
      expect(groups.map(({ group }) => group)).toEqual(['/users/{id}'])
    })
  },
)
