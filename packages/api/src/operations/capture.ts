import { z } from 'zod'
import { duration, thingName, time } from '../notation.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { suspects } from '../suspect-shapes.ts'
import { text, window } from './inputs.ts'

const names = z.string().max(65_536).optional()

/** From the recording to an answer, without a step in between. */
export const capturing = {
  stream_packets: operation({
    title: 'Stream packets',
    description:
      'Packets as one pcapng for Wireshark or tcpdump: live as they are captured, until the request is closed, or those of a past window. Works while indexing is paused, except for live packets of a KFL filter. A reader that is more than half a minute behind misses packets, which the capture says.',
    method: 'GET',
    path: '/packets',
    interfaces: ['api'],
    capability: 'dissection:live',
    alsoNeeds: ['snapshot:read'],
    waits: true,
    bytes: 'response',
    scope: 'refused',
    input: z
      .object({
        nodes: names.describe('Only what these nodes capture; comma-separated'),
        namespaces: names.describe('Only packets of pods and services of these namespaces; comma-separated'),
        workloads: names.describe('Only packets of pods of these Deployments, Jobs, …; comma-separated'),
        pods: names.describe('Only packets of these pods; comma-separated'),
        bpf_filter: z.string().max(8192).optional().describe('Only packets that match a BPF expression'),
        kfl: text
          .optional()
          .describe(
            'Only packets of the connections of matching calls, around the time of these calls; live, they come when the call is complete',
          ),
        start_time: time.optional().describe('A past window from this time on; without times: live'),
        end_time: time.optional().describe('A past window up to this time; default with start_time: now'),
        tls_keys: z
          .stringbool()
          .default(false)
          .describe('With the TLS secrets that the nodes collect; needs `tls:read`'),
      })
      // A filter that is not known here must not be taken for one that was applied.
      .strict(),
    output: z.unknown(),
  }),
  capture_and_dissect: operation({
    title: 'Snapshot, dissect and summarize',
    description:
      'Takes a window of the recording into a snapshot, dissects it, and returns its database (`db`), what it contains and the probable causes, in one call. Reports progress. If it is cancelled, it stops the dissection and deletes it; a completed snapshot stays. Needs snapshot:dissection and snapshot:read as well.',
    method: 'POST',
    path: '/capture-and-dissect',
    capability: 'snapshot:write',
    alsoNeeds: ['snapshot:dissection', 'snapshot:read'],
    changes: true,
    additive: true,
    waits: true,
    scope: 'refused',
    input: z
      .object({
        name: thingName.optional().describe('Of the snapshot; default: made from the time'),
        duration: duration.optional().describe('The most recent time, such as 10m; default: 5m'),
        ...window,
        nodes: z.array(z.string().max(253)).max(10_000).optional(),
        kfl: text.optional().describe('Dissects only the packets of calls that match'),
        protocols: z.array(z.string().max(32)).max(64).optional(),
      })
      .refine((body) => body.duration === undefined || (body.start === undefined && body.end === undefined), {
        message: 'give either a duration or a start and an end',
        path: ['duration'],
      }),
    output: z.object({
      db: z.string().describe('The database of its calls, for all other operations'),
      snapshot: shapes.snapshot.pick({
        name: true,
        status: true,
        start_ts: true,
        end_ts: true,
        partial: true,
        gaps: true,
        size_bytes: true,
        packet_count: true,
        node_count: true,
      }),
      dissection: shapes.dissection.pick({
        status: true,
        call_count: true,
        flow_count: true,
        protocol_counts: true,
        loss: true,
        errors: true,
      }),
      suspects: suspects.pick({ suspects: true, summary: true, baseline_is: true, omitted: true }),
    }),
  }),
} as const
