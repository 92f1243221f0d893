import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shapes } from '@tapdeck/api'
import { z } from 'zod'
import type { Tally } from './dissection-task.ts'

const FILE = 'dissection.json'

export const dissectionRecord = shapes.dissection.extend({
  created_at: z.string(),
  size_bytes: z.number().default(0),
  /** How often it was begun. */
  attempts: z.number().default(0),
  kfl: z.string().default(''),
  protocols: z.array(z.string()).optional(),
  /** TLS connections are opened if their secrets are there: who started it has `tls:read`. */
  decrypt: z.boolean().default(false),
  /** Calls that were decrypted, by protocol. */
  decrypted_counts: z.record(z.string(), z.number()).default({}),
  /** What its calls say of where they come from. */
  capture_source: z.string().default('af_packet'),
  /** The nodes in order of their indexes; known once it runs. */
  nodes: z.array(z.string()).default([]),
  /** The addresses of nodes, as far as the names of the snapshot have them. */
  node_ips: z.record(z.string(), z.string()).default({}),
  /** The job that made it in the bucket; absent where this hub made it. */
  run: z.string().optional(),
})

/** What is known of a dissection, running or done. Kept as JSON beside its index, so that lists survive restarts. */
export type DissectionRecord = z.output<typeof dissectionRecord>

export interface StartRequest {
  readonly snapshot_name: string
  readonly dissection_name: string
  readonly kfl?: string | undefined
  readonly protocols?: readonly string[] | undefined
  /** Opens TLS connections whose secrets the snapshot has. */
  readonly decrypt?: boolean | undefined
}

/** One that waits to be begun. */
export function newRecord(request: StartRequest, captureSource: string, now: number): DissectionRecord {
  const { snapshot_name, dissection_name, kfl = '', protocols, decrypt = false } = request
  return {
    snapshot_name,
    dissection_name,
    status: 'pending',
    progress: 0,
    call_count: 0,
    flow_count: 0,
    packet_count: 0,
    bytes: 0,
    protocol_counts: {},
    loss: {},
    started_at: null,
    finished_at: null,
    errors: [],
    created_at: new Date(now).toISOString(),
    size_bytes: 0,
    attempts: 0,
    nodes: [],
    node_ips: {},
    capture_source: captureSource,
    kfl,
    decrypt,
    decrypted_counts: {},
    ...(protocols && { protocols: [...protocols] }),
  }
}

/** It waits or runs. */
export function isUnfinished({ status }: DissectionRecord): boolean {
  return status === 'pending' || status === 'running'
}

/** The counters of a record that a job reports. */
export function countsOf(tally: Tally): Partial<DissectionRecord> {
  return {
    call_count: tally.calls,
    flow_count: tally.flows,
    packet_count: tally.packets,
    bytes: tally.bytes,
    protocol_counts: { ...tally.protocols },
    decrypted_counts: { ...tally.decrypted },
    loss: { ...tally.loss } as Record<string, number>,
    errors: [...tally.errors],
  }
}

/** Undefined where there is none that can be read. */
export async function readRecord(folder: string): Promise<DissectionRecord | undefined> {
  try {
    return dissectionRecord.parse(JSON.parse(await readFile(join(folder, FILE), 'utf8')))
  } catch {
    return undefined
  }
}

/** A crash leaves the old record or the new one. */
export async function writeRecord(folder: string, record: DissectionRecord): Promise<void> {
  const draft = join(folder, `${FILE}.new`)
  await writeFile(draft, JSON.stringify(record, null, 2), { flush: true, mode: 0o600 })
  await rename(draft, join(folder, FILE))
}
