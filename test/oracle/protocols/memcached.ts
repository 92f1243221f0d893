import type { Mapping } from '../mapping.ts'
import { findAll, firstText, type Shown } from '../pdml.ts'
import { joinHalves, readLayers } from '../read-layers.ts'

export const memcached: Mapping = {
  protocol: 'memcached',
  dissector: 'memcache',
  // Statistics come one a message.
  read: (packets) =>
    joinHalves(
      readLayers(packets, 'memcache'),
      (message, before) => isStatistic(message.nodes) && isStatistic(before.nodes),
    ),
  // What silence says is no message.
  takes: ({ is, call: { response } }) => is !== 'response' || response?.silent !== true,
  fields: {
    command: {
      on: 'request',
      theirs: (nodes) => firstText(nodes, 'memcache.command') ?? opcode(nodes),
      ours: 'memcached.command',
    },
    key: { on: 'request', theirs: 'memcache.key', ours: 'memcached.key' },
    value_size: {
      on: 'request',
      theirs: (nodes) => {
        const size = firstText(nodes, 'memcache.value.length')
        return size === '0' && binary(nodes) ? undefined : size
      },
      ours: ({ call: { request }, call }) => {
        const { value_size, command } = Object(call.memcached)
        return request?.body === undefined || value_size === undefined || READS.test(command)
          ? undefined
          : String(value_size)
      },
    },
    opaque: { on: 'request', theirs: 'memcache.opaque', ours: 'memcached.opaque' },
    length: {
      on: 'request',
      theirs: (nodes) => whole(nodes),
      ours: ({ call }) => {
        const { format, request_size } = Object(call.memcached)
        return format === 'binary' ? String(request_size) : undefined
      },
    },
    status: {
      on: 'response',
      theirs: (nodes) => firstText(nodes, 'memcache.response'),
      ours: ({ call: { status }, call }) => {
        const { format } = Object(call.memcached)
        return format === 'text' && STATES.has(String(status)) ? String(status) : undefined
      },
    },
    status_code: { on: 'response', theirs: 'memcache.status', ours: 'memcached.status_code' },
    response_opaque: { on: 'response', theirs: 'memcache.opaque', ours: 'memcached.opaque' },
  },
}

const READS = /^(get|gets|gat|gats|mg)/
const STATES = new Set(['STORED', 'NOT_STORED', 'EXISTS', 'NOT_FOUND', 'DELETED', 'END', 'OK', 'TOUCHED'])

function binary(nodes: readonly Shown[]): boolean {
  return findAll(nodes, 'memcache.magic').length > 0
}

/** The binary protocol's own names, by number. */
const OPCODES =
  'get set add replace delete increment decrement quit flush getq noop version getk getkq append prepend stat setq addq replaceq deleteq incrementq decrementq quitq flushq appendq prependq'.split(
    ' ',
  )

function opcode(nodes: readonly Shown[]): string | undefined {
  const [field] = findAll(nodes, 'memcache.opcode')
  return field === undefined ? undefined : OPCODES[Number(field.show)]
}

function whole(nodes: readonly Shown[]): string | undefined {
  const body = firstText(nodes, 'memcache.total_body_length')
  return body === undefined ? undefined : String(Number(body) + 24)
}

function isStatistic(nodes: readonly Shown[]): boolean {
  return firstText(nodes, 'memcache.magic') === '129' && firstText(nodes, 'memcache.opcode') === '16'
}
