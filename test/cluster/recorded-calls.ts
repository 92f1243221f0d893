import { vi } from 'vitest'
import { type ClusterHub, hub, send } from './test-cluster.ts'

export interface Peer {
  readonly ip: string
  readonly port: number
  readonly pod?: string
  readonly svc?: string
  readonly ns?: string
  readonly node?: string
  readonly workload?: string
  readonly workload_kind?: string
}

export interface RecordedCall {
  readonly id: string
  readonly ts: number
  readonly path: string
  readonly request: { readonly query?: Readonly<Record<string, unknown>> }
  readonly src: Peer
  readonly dst: Peer
  readonly tcp?: { readonly retransmissions: number }
}

export interface CallPage {
  readonly calls: readonly RecordedCall[]
  readonly next_cursor: string | null
}

/** All calls of a database that match a filter. On a busy machine the recording is searched in several pages. */
export async function callsOf(
  kfl: string,
  db?: string,
  ask: ClusterHub['get'] = hub,
): Promise<readonly RecordedCall[]> {
  const query = { kfl, limit: '1000', format: 'full', ...(db !== undefined && { db }) }
  const calls: RecordedCall[] = []
  let cursor: string | null = null
  do {
    const given: Record<string, string> = cursor === null ? query : { ...query, cursor }
    const page: CallPage = await ask<CallPage>('/mcp/calls', given)
    calls.push(...page.calls)
    cursor = page.next_cursor
  } while (cursor !== null)
  return calls
}

/** Takes a snapshot of all that is recorded and dissects it. Returns the database. */
export async function dissectRecording(name: string): Promise<string> {
  await send('POST', '/mcp/snapshots', { name, duration: '1h' })
  await completed(`/mcp/snapshots/${name}`)
  await send('POST', '/mcp/dissections', { snapshot_name: name, dissection_name: 'all' })
  await completed(`/mcp/dissections/${name}/all`)
  return `${name}/all`
}

/** Waits as long as a busy machine may need. */
export const waiting = { timeout: 120_000, interval: 500 }

function completed(path: string): Promise<void> {
  return vi.waitFor(async () => {
    const { status } = await hub<{ status: string }>(path)
    if (status !== 'completed') throw new Error(`${path}: ${status}`)
  }, waiting)
}
