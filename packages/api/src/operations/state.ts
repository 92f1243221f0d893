import { z } from 'zod'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none } from './inputs.ts'

/** Of the caller, and of all parts. */
export const state = {
  whoami: operation({
    title: 'Who am I?',
    description: 'The resolved caller: name, role, capabilities, namespaces.',
    method: 'GET',
    path: '/whoami',
    doors: ['api'],
    scope: 'none',
    input: none,
    output: shapes.whoami,
  }),
  get_status: operation({
    title: 'State of all parts',
    description: 'Version, and of each node: connection, capture, rates and losses.',
    method: 'GET',
    path: '/status',
    doors: ['api'],
    scope: 'kfl',
    input: none,
    output: z.object({ version: z.string(), started_at: z.string(), nodes: z.array(shapes.nodeReport) }),
  }),
} as const
