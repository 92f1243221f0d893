import type { Mapping } from '../mapping.ts'
import { findAll, firstText } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { nameOf, own } from '../values.ts'

const HEADER = 9
const size = (nodes: Parameters<typeof firstText>[0]) =>
  String(Number(firstText(nodes, 'cql.message_length')) + HEADER)

export const cassandra: Mapping = {
  protocol: 'cassandra',
  dissector: 'cql',
  read: (packets) =>
    readLayers(packets, 'cql', {
      asked: 'cql.response_to',
      key: (layer) => firstText([layer], 'cql.stream'),
      keep: (layer) => findAll([layer], 'cql.opcode').length > 0,
    }),
  key: (message) => String(own(message, 'stream')),
  fields: {
    opcode: { on: 'request', theirs: nameOf('cql.opcode'), ours: 'cassandra.opcode' },
    version: { on: 'request', theirs: 'cql.protocol_version', ours: 'cassandra.version' },
    stream: { on: 'request', theirs: 'cql.stream', ours: 'cassandra.stream' },
    size: {
      on: 'request',
      theirs: size,
      ours: (message) => String(own(message, message.is === 'event' ? 'total_size' : 'request_size')),
    },
    consistency: { on: 'request', theirs: nameOf('cql.consistency'), ours: 'cassandra.consistency' },
    answer: { on: 'response', theirs: nameOf('cql.opcode'), ours: 'response.opcode' },
    response_stream: { on: 'response', theirs: 'cql.stream', ours: 'cassandra.stream' },
    response_size: { on: 'response', theirs: size, ours: 'cassandra.response_size' },
  },
}
