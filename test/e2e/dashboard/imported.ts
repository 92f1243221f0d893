import { readFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import type { RunningTapdeck } from '../running-tapdeck.ts'

/** Makes a snapshot of a capture of the protocols' tests, and its dissection `all`: the same calls on every machine. */
export async function importCapture(tapdeck: RunningTapdeck, name: string, capture: string): Promise<void> {
  const file = new URL(`../../../packages/dissect/src/protocols/${capture}`, import.meta.url)
  await importBytes(tapdeck, name, readFileSync(file))
}

/** Makes a snapshot of a capture file, and its dissection `all`. */
export async function importBytes(tapdeck: RunningTapdeck, name: string, body: Buffer): Promise<void> {
  const response = await fetch(`${tapdeck.url}/api/snapshots/${name}/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(body),
  })
  expect(response.ok, await response.text()).toBe(true)
  await tapdeck.post('/api/dissections', { snapshot_name: name, dissection_name: 'all' })
  await vi.waitUntil(async () => isCompleted(await tapdeck.get(`/api/dissections/${name}/all`)), {
    timeout: 90_000,
    interval: 200,
  })
}

function isCompleted(state: unknown): boolean {
  return (state as { readonly status?: string }).status === 'completed'
}
