import { count, list, nodeName, time } from '@tapdeck/questions/message-values'
import { z } from 'zod'
import { isLiveCall } from './link/link-rows.ts'
import type { LiveCall } from './link/live-call.ts'
import { type coverageReport, workerReport } from './link/worker-report.ts'
import { type eventsInput, extensions, type rewindCost, type WorkerRequests } from './link/worker-requests.ts'

export type { LiveCall, TraceContext } from './link/live-call.ts'
export { maxLinkMessage, messageLimits } from './link/message-limits.ts'
export { type WorkerRequests, workerRequests } from './link/worker-requests.ts'

/**
 * What hub and worker say to each other over the one WebSocket that the worker opens at `linkPath`, with
 * `Authorization: Bearer <worker credential>`. Text messages are JSON of these schemas, which both ends check; binary
 * messages are pieces of a streamed answer: 4 bytes request id (big endian), then the bytes. The same on one machine
 * and in a cluster. Unknown fields are dropped, so that a newer peer may add some.
 */
export const linkPath = '/internal/worker'

/** Bytes of a streamed answer that may be under way before the first `credit`. */
export const initialCredit = 4 * 1024 * 1024

export type WorkerReport = z.output<typeof workerReport>
export type CoverageReport = z.output<typeof coverageReport>
export type NodeLoss = WorkerReport['loss']
export type RewindCost = z.output<typeof rewindCost>
export type EventsInput = z.output<typeof eventsInput>

/** What a worker may send, by `kind`. */
export const workerMessages = {
  hello: z.object({
    kind: z.literal('hello'),
    node: nodeName,
    version: z.string().max(64),
    /** Address of the node, where it is known. */
    ip: z.union([z.ipv4(), z.ipv6()]).exactOptional(),
    report: workerReport,
  }),
  report: z.object({ kind: z.literal('report'), report: workerReport }),
  /** The result is checked by the schema of the request that it answers. */
  answer: z.object({ kind: z.literal('answer'), id: count, result: z.unknown() }),
  failure: z.object({
    kind: z.literal('failure'),
    id: count,
    status: z.number().int().min(400).max(599),
    code: z.string().max(64),
    detail: z.string().max(10_000),
    extensions: extensions.exactOptional(),
  }),
  calls: z.object({
    kind: z.literal('calls'),
    subscription: count,
    calls: list(z.custom<LiveCall>(isLiveCall, 'this is not a call'), 10_000),
    skipped: count,
    /** The time of the skipped calls. Absent: nothing was skipped, or the worker is too old to know. */
    from: time.exactOptional(),
    to: time.exactOptional(),
  }),
} as const

export type WorkerMessage = {
  [Kind in keyof typeof workerMessages]: z.output<(typeof workerMessages)[Kind]>
}[keyof typeof workerMessages]

/** What the hub may send, as far as it is known without the name of a request. */
export const hubEnvelope = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('request'),
    id: count,
    request: z.string(),
    input: z.unknown(),
  }),
  /** More bytes of a streamed answer may be sent (back-pressure). */
  z.object({ kind: z.literal('credit'), id: count, bytes: count }),
  z.object({ kind: z.literal('cancel'), id: count }),
])

export type HubEnvelope = z.output<typeof hubEnvelope>

export type HubMessage =
  | Exclude<HubEnvelope, { kind: 'request' }>
  | {
      [Name in keyof WorkerRequests]: {
        readonly kind: 'request'
        readonly id: number
        readonly request: Name
        readonly input: WorkerRequests[Name]['input']
      }
    }[keyof WorkerRequests]
