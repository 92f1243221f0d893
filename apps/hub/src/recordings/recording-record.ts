import { readFile } from 'node:fs/promises'
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
})

export type RecordingNode = z.output<typeof node>

/** What is known of a recording, on disk beside its slices. */
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
export function newRecording(request: RecordingRequest, by: string, now: number): RecordingRecord {
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
  }
}

/** Undefined where there is none that can be read. */
export async function readRecording(file: string): Promise<RecordingRecord | undefined> {
  try {
    return shape.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}
