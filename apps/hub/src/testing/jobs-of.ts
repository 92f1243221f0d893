import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { type TestHub, until } from './start-hub.ts'

/** What tests of jobs do with the hub of the moment. */
export function jobsOf(current: () => TestHub) {
  async function importFile(name: string, bytes: Uint8Array, query = ''): Promise<void> {
    const { status, text } = await current().send('POST', `/api/snapshots/${name}/import${query}`, bytes)
    expect(status, text).toBe(201)
  }

  async function dissect(snapshot: string, name: string, more: object = {}) {
    const started = await current().send('POST', '/delayed_dissection.DelayedDissection/Start', {
      snapshot_name: snapshot,
      dissection_name: name,
      ...more,
    })
    expect(started.json).toMatchObject({ success: true, snapshot_name: snapshot, dissection_name: name })
    const status = `/delayed_dissection.DelayedDissection/GetStatus?snapshot_name=${snapshot}&dissection_name=${name}`
    const { json } = await until(
      () => current().get(status),
      ({ json: seen }) => ['completed', 'failed', 'cancelled'].includes(seen.status),
    )
    return json
  }

  const calls = (db: string, kfl = '', more = '') =>
    current().get(`/mcp/calls?db=${db}&kfl=${encodeURIComponent(kfl)}${more}`)

  /** A pipe instead of the file: the job reads as far as is written, and no further. */
  async function asPipe(snapshot: string, node = 'import') {
    const file = join(current().folder, `snapshots/${snapshot}/${node}.pcapng`)
    await rm(file)
    await promisify(execFile)('mkfifo', [file])
    return open(file, 'r+')
  }

  return { importFile, dissect, calls, asPipe }
}
