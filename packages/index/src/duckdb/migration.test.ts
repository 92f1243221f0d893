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
      index.append(sampleCall({ flow }), samplePeers(flow))
      await index.close()
      const old = await DuckDBInstance.create(join(folder, 'chunk-000001', 'calls.duckdb'))
      const connection = await old.connect()
      await connection.run('ALTER TABLE calls DROP COLUMN tls')
      await connection.run('ALTER TABLE flows DROP COLUMN client_zero_window_us')
      await connection.run('ALTER TABLE flows DROP COLUMN server_zero_window_us')
      connection.closeSync()
      old.closeSync()
      const again = await open({ readOnly })
      expect(await ids(again, kfl('not decrypted'))).toEqual([`${NODE}/4711/0`])
      expect(await ids(again, kfl('decrypted'))).toEqual([])
    })
  },
)
