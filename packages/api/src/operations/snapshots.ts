import { z } from 'zod'
import { duration, thingName, time } from '../notation.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none, text, window } from './inputs.ts'

const snapshotPath = z.object({ name: thingName })

/** Windows of the recording, kept. */
export const snapshots = {
  get_data_boundaries: operation({
    title: 'What time range is recorded?',
    description:
      'The nodes that have recorded packets and the time range of each. Start here before you make a snapshot.',
    method: 'GET',
    path: '/data-boundaries',
    capability: 'snapshot:read',
    scope: 'refused',
    input: none,
    output: shapes.boundaries,
  }),
  create_snapshot: operation({
    title: 'Make a snapshot',
    description:
      'Takes a window out of the recording into a named, immutable snapshot: the most recent `duration`, or `start` to `end`.',
    method: 'POST',
    path: '/snapshots',
    capability: 'snapshot:write',
    changes: true,
    additive: true,
    status: 202,
    scope: 'refused',
    input: z
      .object({
        name: thingName,
        duration: duration.optional(),
        ...window,
        nodes: z.array(z.string().max(253)).max(10_000).optional(),
      })
      .refine(
        (body) => (body.duration === undefined) !== (body.start === undefined && body.end === undefined),
        {
          message: 'give either a duration or a start and an end',
          path: ['duration'],
        },
      ),
    output: z.object({ success: z.boolean(), name: z.string(), status: shapes.snapshotStatus }),
  }),
  import_snapshot: operation({
    title: 'Import a capture as a snapshot',
    description:
      'Makes a snapshot out of a pcap or pcapng file in the request body (gzip and zstd allowed), or out of a file on the hub. For several files, set `more` in each except the last and `append` in each except the first; each capture needs its own `node`.',
    method: 'POST',
    path: '/snapshots/{name}/import',
    interfaces: ['api'],
    capability: 'snapshot:write',
    changes: true,
    additive: true,
    status: 201,
    bytes: 'request',
    scope: 'refused',
    input: z.object({
      name: thingName,
      node: z
        .string()
        .regex(/^[^/\s\p{Cc}]{1,253}$/u, 'a node name has no slash and no blank')
        .default('import')
        .describe('The node that these packets are from'),
      append: z.stringbool().default(false).describe('Adds to the snapshot of an earlier import with `more`'),
      more: z.stringbool().default(false).describe('Leaves the snapshot open: more files follow'),
      kind: z
        .enum(['capture', 'inventory'])
        .default('capture')
        .describe(
          'What the file contains: packets, or names of their addresses in the format of `tap.inventory`',
        ),
      path: z
        .string()
        .min(1)
        .max(1024)
        .optional()
        .describe('A file below `tap.snapshots.importFolder` on the hub, instead of a body'),
    }),
    output: shapes.snapshot,
  }),
  list_snapshots: operation({
    title: 'List snapshots',
    description: 'All snapshots with status, size and window, newest first.',
    method: 'GET',
    path: '/snapshots',
    capability: 'snapshot:read',
    scope: 'refused',
    input: none,
    output: z.object({ snapshots: z.array(shapes.snapshot) }),
  }),
  get_snapshot: operation({
    title: 'One snapshot',
    description: 'Status, progress and size of a snapshot across its nodes. Poll it until `completed`.',
    method: 'GET',
    path: '/snapshots/{name}',
    capability: 'snapshot:read',
    scope: 'refused',
    input: snapshotPath,
    output: shapes.snapshot,
  }),
  delete_snapshot: operation({
    title: 'Delete a snapshot',
    description: 'Deletes a snapshot. With dissections it needs `force`, which deletes them too.',
    method: 'DELETE',
    path: '/snapshots/{name}',
    capability: 'snapshot:write',
    changes: true,
    scope: 'refused',
    input: snapshotPath.extend({ force: z.stringbool().default(false) }),
    output: shapes.success,
  }),
  update_snapshot: operation({
    title: 'Rename a snapshot, change its tags or notes',
    description:
      'Changes the name, the tags or the notes of a snapshot; its packets never change. A snapshot with the tag `keep` is not removed by the retention policy.',
    method: 'PATCH',
    path: '/snapshots/{name}',
    capability: 'snapshot:write',
    changes: true,
    scope: 'refused',
    input: snapshotPath
      .extend({
        new_name: thingName.optional(),
        tags: z
          .array(
            z.string().regex(/^[^\s,\p{Cc}]{1,64}$/u, 'a tag is 1 to 64 characters without blanks or commas'),
          )
          .max(32)
          .optional(),
        notes: z.string().max(10_000).optional(),
      })
      .strict(),
    output: shapes.snapshot,
  }),
  export_snapshot_pcap: operation({
    title: 'Download packets',
    description:
      'One time-ordered capture of a snapshot, for Wireshark: all of it, or what matches a BPF expression, a window, the calls of a KFL filter, or one call. The pcapng carries pod names. A broken download is resumed by a Range header.',
    method: 'GET',
    path: '/snapshots/{name}/pcap',
    capability: 'snapshot:read',
    bytes: 'response',
    scope: 'refused',
    input: snapshotPath
      .extend({
        nodes: z.string().max(65_536).optional().describe('Comma-separated'),
        bpf_filter: z
          .string()
          .max(8192)
          .optional()
          .describe('Only packets that match a BPF expression, such as `tcp port 80 and host 10.0.0.1`'),
        start_time: time.optional(),
        end_time: time.optional(),
        kfl: text
          .optional()
          .describe('Only packets of the connections of matching calls, around the time of these calls'),
        dissection: z
          .string()
          .max(64)
          .optional()
          .describe(
            'The dissection that `kfl` or `call` is looked up in; the newest completed one by default',
          ),
        call: z.string().max(512).optional().describe('Only the connection of the call with this id'),
        format: z.enum(['pcapng', 'pcap']).default('pcapng'),
        tls_keys: z
          .stringbool()
          .default(false)
          .describe(
            'With the TLS secrets of the snapshot, so that Wireshark shows what was encrypted; needs `tls:read`',
          ),
      })
      // A filter that is not known here must not be taken for one that was applied.
      .strict(),
    output: z.unknown(),
  }),
} as const
