import type { WorkerMessage } from '@tapdeck/api'
import { z } from 'zod'

const count = z.number().min(0)
const time = z.number().nullable()

const report = z.object({
  indexing: z.boolean(),
  capture: z
    .object({
      active: z.boolean(),
      reason: z.string().max(2000).optional(),
      interfaces: z.array(z.string().max(64)).max(4096),
    })
    .transform(({ active, reason, interfaces }) => ({
      active,
      interfaces,
      ...(reason !== undefined && { reason }),
    })),
  recording: z.object({
    oldest_ts: time,
    newest_ts: time,
    size_bytes: count,
    packet_count: count,
    dropped_packets: count,
    drops: z.object({ kernel: count, queue: count, disk: count }).exactOptional(),
  }),
  packets_captured: count,
  packets_dissected: count,
  calls: count,
  loss: z.record(z.string().max(64), z.number()),
  process: z.object({ memory_bytes: count, cpu_seconds: count }).exactOptional(),
  events: z
    .object({ size_bytes: count, refused: count, reason: z.string().max(2000).exactOptional() })
    .exactOptional(),
  live: z.object({ lag_ms: count, waiting_blocks: count }).exactOptional(),
  backfill: z
    .object({ running: z.boolean(), from_ts: count, to_ts: count, calls: count, packets: count })
    .exactOptional(),
})

/** A node's name stands in ids (`<node>/<flow>/<ordinal>`), so it holds no slash. */
const nodeName = z.string().regex(/^[^/\s\p{Cc}]{1,253}$/u)

const shapes = {
  hello: z
    .object({
      kind: z.literal('hello'),
      node: nodeName,
      version: z.string().max(64),
      ip: z.union([z.ipv4(), z.ipv6()]).optional(),
      report,
    })
    .transform(({ ip, ...rest }) => ({ ...rest, ...(ip !== undefined && { ip }) })),
  report: z.object({ kind: z.literal('report'), report }),
  answer: z.object({ kind: z.literal('answer'), id: count, result: z.unknown() }),
  failure: z
    .object({
      kind: z.literal('failure'),
      id: count,
      status: z.number().int().min(400).max(599),
      code: z.string().max(64),
      detail: z.string().max(10_000),
      extensions: z.record(z.string(), z.unknown()).optional(),
    })
    .transform(({ extensions, ...rest }) => ({ ...rest, ...(extensions && { extensions }) })),
  calls: z.object({
    kind: z.literal('calls'),
    subscription: count,
    // Shown to people as they are; looking into each would cost more than the worker's credential is worth.
    calls: z
      .array(z.custom<Extract<WorkerMessage, { kind: 'calls' }>['calls'][number]>(isObject))
      .max(10_000),
    skipped: count,
  }),
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** A text message of a worker; undefined where it is none of the known shapes. */
export function parseWorkerMessage(text: string): WorkerMessage | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const kind = (value as { kind?: unknown } | null)?.kind
  if (typeof kind !== 'string' || !Object.hasOwn(shapes, kind)) return undefined
  const parsed = shapes[kind as keyof typeof shapes].safeParse(value)
  return parsed.success ? parsed.data : undefined
}
