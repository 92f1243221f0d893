import { z } from 'zod'
import type { Needed } from '../capability.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none } from './inputs.ts'

/** Callers who read calls, and those who turn the switch: it names callers. */
const switchReader: Needed = { anyOf: ['dissection:live', 'snapshot:read', 'dissection:control'] }

/** The Traffic Indexing switch. */
export const switching = {
  get_dissection_status: operation({
    title: 'Is traffic indexing on?',
    description: 'Says whether real-time L7 indexing is on. Live calls exist only for times when it was on.',
    method: 'GET',
    path: '/dissection',
    interfaces: ['mcp'],
    anyCaller: 'It is one bit, for callers who hold `mcp:use`.',
    scope: 'none',
    input: none,
    output: z.object({ enabled: z.boolean() }),
  }),
  get_switch: operation({
    title: 'The Traffic Indexing switch',
    description: 'The state of the switch: who changed it, why, and when inactivity will pause indexing.',
    method: 'GET',
    path: '/dissection',
    interfaces: ['api'],
    capability: switchReader,
    scope: 'none',
    input: none,
    output: shapes.switchState,
  }),
  enable_dissection: operation({
    title: 'Resume traffic indexing',
    description: 'Turns real-time L7 indexing on, on every node. Repeating it is a success.',
    method: 'POST',
    path: '/dissection/enable',
    capability: 'dissection:control',
    scope: 'none',
    input: none,
    changes: true,
    output: z.object({ success: z.boolean(), enabled: z.boolean() }),
  }),
  disable_dissection: operation({
    title: 'Pause traffic indexing',
    description: 'Turns real-time L7 indexing off, on every node. Recording continues.',
    method: 'POST',
    path: '/dissection/disable',
    capability: 'dissection:control',
    scope: 'none',
    input: none,
    changes: true,
    output: z.object({ success: z.boolean(), enabled: z.boolean() }),
  }),
  list_switch_changes: operation({
    title: 'Changes of the switch',
    description: 'Every change of traffic indexing, newest first: who, when, through which interface, why.',
    method: 'GET',
    path: '/dissection/changes',
    capability: switchReader,
    scope: 'none',
    input: none,
    output: z.object({ changes: z.array(shapes.switchChange) }),
  }),
} as const
