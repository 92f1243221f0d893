import { z } from 'zod'
import { duration, size, thingName, time } from '../notation.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none, text } from './inputs.ts'

/** A recording's packets become the snapshot `rec-<name>`, whose names end at 64 characters. */
const recordingName = thingName.refine((name) => name.length <= 60, {
  message: 'a name of a recording has at most 60 characters',
})
const recordingPath = z.object({ name: recordingName })

/** Traffic that a user keeps. */
export const recordings = {
  start_recording: operation({
    title: 'Start a recording',
    description:
      'Keeps the traffic that matches a filter, from now or from `start` on, until it is stopped, or until its `duration` or `max_size` is reached. When it has ended, its calls are the database `rec-<name>/calls`. It keeps indexing on while it runs, but turns it on only with `resume_indexing`, which needs dissection:control.',
    method: 'POST',
    path: '/recordings',
    capability: 'settings:write',
    changes: true,
    additive: true,
    status: 201,
    scope: 'refused',
    input: z
      .object({
        name: recordingName,
        kfl: text.default('').describe('Only calls that match; empty: all'),
        duration: duration.optional().describe('Maximum time that it runs, such as 10m; default: 1h'),
        max_size: size.optional().describe('Maximum bytes that it keeps, such as 500Mi; default: 1Gi'),
        start: time.optional().describe('When it begins; default: now'),
        resume_indexing: z.boolean().default(false).describe('Turns traffic indexing on when it begins'),
      })
      .strict(),
    output: shapes.recording,
  }),
  list_recordings: operation({
    title: 'List recordings',
    description: 'All recordings with their state, newest first.',
    method: 'GET',
    path: '/recordings',
    capability: 'snapshot:read',
    scope: 'refused',
    input: none,
    output: z.object({ recordings: z.array(shapes.recording) }),
  }),
  get_recording: operation({
    title: 'One recording',
    description: 'State, size and gaps of a recording, and the database it became.',
    method: 'GET',
    path: '/recordings/{name}',
    capability: 'snapshot:read',
    scope: 'refused',
    input: recordingPath,
    output: shapes.recording,
  }),
  stop_recording: operation({
    title: 'Stop a recording',
    description: 'Ends a running or scheduled recording now. What it has kept becomes its database.',
    method: 'POST',
    path: '/recordings/{name}/stop',
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: recordingPath,
    output: shapes.recording,
  }),
  delete_recording: operation({
    title: 'Delete a recording',
    description: 'Deletes a recording that has ended, with its packets and its database.',
    method: 'DELETE',
    path: '/recordings/{name}',
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: recordingPath,
    output: shapes.success,
  }),
} as const
