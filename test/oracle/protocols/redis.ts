import type { Mapping } from '../mapping.ts'
import { decodedText, findAll, firstText, type Shown } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { own } from '../values.ts'

const TYPES: Readonly<Record<string, string>> = {
  'resp.array': 'Array',
  'resp.bulk_string': 'Bulk String',
  'resp.string': 'Simple String',
  'resp.error': 'Error',
  'resp.integer': 'Integer',
}

const words = (nodes: readonly Shown[]) => findAll(nodes, 'resp.bulk_string.value').map(decodedText)

/** Every value of a packet stands for itself. tshark 4.0 knows RESP2, whole packets only. */
export const redis: Mapping = {
  protocol: 'redis',
  dissector: 'resp',
  read: (packets) =>
    readLayers(packets, 'resp', { split: ({ children }) => children.filter(({ name }) => name in TYPES) }),
  fields: {
    command: {
      on: 'request',
      theirs: (nodes) => words(nodes)[0]?.toUpperCase(),
      ours: 'redis.command',
    },
    arguments: {
      on: 'request',
      theirs: (nodes) => words(nodes).slice(1, 4),
      ours: (message) => {
        const list = own(message, 'args')
        return Array.isArray(list) ? list.slice(0, 3).map(String) : []
      },
    },
    type: {
      on: 'response',
      theirs: ([{ name, children }]) => (isNull(children) ? 'Null' : TYPES[name]),
      ours: 'redis.type',
    },
    error: {
      on: 'response',
      theirs: ([{ name, show }]) => (name === 'resp.error' ? show : undefined),
      ours: 'redis.error',
    },
    text: {
      on: 'response',
      theirs: ([{ name, show }]) => (name === 'resp.string' || name === 'resp.integer' ? show : undefined),
      ours: ({ call: { response } }) =>
        response?.type === 'Simple String' || response?.type === 'Integer' ? response.body : undefined,
    },
  },
}

function isNull(children: readonly Shown[]): boolean {
  return firstText(children, 'resp.bulk_string.length') === '-1'
}
