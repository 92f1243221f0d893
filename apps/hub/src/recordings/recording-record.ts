import { shapes } from '@tapdeck/api'
import { z } from 'zod'

const HOUR = 3_600_000
const GIB = 2 ** 30

/** What a node gave so far. `until_ts` is where its next slice begins. */
const node = z.object({
  name: z.string(),
  slices: z.number().int(),
  size_bytes: z.number(),
  packet_count: z.number(),
  dropped_packets: z.number(),
  until_ts: z.number(),
  /** Its slices were on the disk of another hub, and are taken from the ring again as far as it has them. */
  taken_again: z.boolean().optional(),
})

const shape = z.object({
  name: z.string(),
  status: shapes.recordingStatus,
  kfl: z.string(),
  created_at: z.string(),
  created_by: z.string(),
  starts_ts: z.number(),
  ended_ts: z.number().nullable(),
  ended_by: shapes.recording.shape.ended_by,
  error: z.string().optional(),
  duration_ms: z.number(),
  max_bytes: z.number(),
  resume_indexing: z.boolean(),
  live_matches: z.number(),
  nodes: z.array(node),
  gaps: shapes.recording.shape.gaps,
  notes: shapes.recording.shape.notes,
  /** Its slices have become a snapshot, or never will. */
  kept: z.boolean(),
  /** The data folder that has its slices (`StateStore.holder`). */
  holder: z.string().default(''),
})

export type RecordingNode = z.output<typeof node>

/** What is known of a recording. */
export type RecordingRecord = z.output<typeof shape>

export interface RecordingRequest {
  readonly name: string
  readonly kfl: string
  readonly duration?: number | undefined
  readonly max_size?: number | undefined
  readonly start?: number | undefined
  readonly resume_indexing: boolean
}

/** One that waits for its start. */
export function newRecording(
  request: RecordingRequest,
  by: string,
  now: number,
  holder = '',
): RecordingRecord {
  const { name, kfl, resume_indexing } = request
  return {
    name,
    kfl,
    status: 'scheduled',
    created_at: new Date(now).toISOString(),
    created_by: by,
    starts_ts: Math.max(now, request.start ?? 0),
    ended_ts: null,
    duration_ms: request.duration ?? HOUR,
    max_bytes: request.max_size ?? GIB,
    resume_indexing,
    live_matches: 0,
    nodes: [],
    gaps: [],
    notes: [],
    kept: false,
    holder,
  }
}

/** Undefined where the text is none. */
export function parseRecording(text: string): RecordingRecord | undefined {
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** As `holder` continues it: slices that another hub took are not here, and are taken from the rings again. */
export function heldBy(record: RecordingRecord, holder: string): RecordingRecord {
  if (record.holder === holder || record.kept) return { ...record, holder }
  const nodes = record.nodes.map(({ name }) => ({
    name,
    slices: 0,
    size_bytes: 0,
    packet_count: 0,
    dropped_packets: 0,
    until_ts: record.starts_ts,
    taken_again: true,
  }))
  return { ...record, nodes, holder }
}
