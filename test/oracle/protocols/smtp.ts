import type { Mapping } from '../mapping.ts'
import { firstText, textsOf } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { own } from '../values.ts'

/** Go ahead with the message, or with the next line of a login: not yet the answer. */
const NOT_YET = new Set(['354', '334'])

/** In order: to us DATA ends with its message, and a multi-line login is one command. */
export const smtp: Mapping = {
  protocol: 'smtp',
  dissector: 'smtp',
  read: (packets) =>
    readLayers(packets, 'smtp', {
      split: ({ children }) =>
        children.filter(({ name }) => name === 'smtp.command_line' || name === 'smtp.response'),
      key: (line) =>
        firstText([line], 'smtp.req.command')?.toUpperCase() ?? firstText([line], 'smtp.response.code'),
      keep: (line) => !NOT_YET.has(firstText([line], 'smtp.response.code') ?? ''),
    }),
  inOrder: true,
  key: ({ is, call: { method, status } }) =>
    is === 'response' || method === 'GREETING' ? String(status) : String(method),
  fields: {
    command: {
      on: 'request',
      theirs: (nodes) => firstText(nodes, 'smtp.req.command')?.toUpperCase(),
      ours: ({ call: { method } }) => (method === 'GREETING' ? undefined : method),
    },
    argument: { on: 'request', theirs: 'smtp.req.parameter', ours: 'smtp.argument' },
    greeting: {
      on: 'request',
      theirs: 'smtp.response.code',
      ours: ({ call: { method, status } }) => (method === 'GREETING' ? String(status) : undefined),
    },
    code: { on: 'response', theirs: 'smtp.response.code', ours: 'status' },
    text: {
      on: 'response',
      theirs: (nodes) => textsOf(nodes, 'smtp.rsp.parameter').join('\n') || undefined,
      ours: (message) => {
        const text = own(message, 'text')
        return typeof text === 'string' ? text : undefined
      },
    },
  },
}
