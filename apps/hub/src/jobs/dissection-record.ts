import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shapes } from '@tapdeck/api'
import { z } from 'zod'

const FILE = 'dissection.json'

const shape = shapes.dissection.extend({
  created_at: z.string(),
  size_bytes: z.number().default(0),
  /** How often it was begun. */
  attempts: z.number().default(0),
  kfl: z.string().default(''),
  protocols: z.array(z.string()).optional(),
  /** What its calls say of where they come from. */
  capture_source: z.string().default('af_packet'),
  /** The nodes in order of their indexes; known once it runs. */
  nodes: z.array(z.string()).default([]),
  /** The addresses of nodes, as far as the snapshot's names tell them. */
  node_ips: z.record(z.string(), z.string()).default({}),
})

/** What is known of a dissection, running or done. Kept as JSON beside its index, so that lists survive restarts. */
export type DissectionRecord = z.output<typeof shape>

/** Undefined where there is none that can be read. */
export async function readRecord(folder: string): Promise<DissectionRecord | undefined> {
  try {
    return shape.parse(JSON.parse(await readFile(join(folder, FILE), 'utf8')))
  } catch {
    return undefined
  }
}

/** A crash leaves the old record or the new one. */
export async function writeRecord(folder: string, record: DissectionRecord): Promise<void> {
  const draft = join(folder, `${FILE}.new`)
  await writeFile(draft, JSON.stringify(record, null, 2), { flush: true })
  await rename(draft, join(folder, FILE))
}
