import type { Mapping } from '../mapping.ts'
import { findAll, firstText, type Shown } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { decimal } from '../values.ts'

const OPCODES: Readonly<Record<string, string>> = {
  '1': 'OP_REPLY',
  '2001': 'OP_UPDATE',
  '2002': 'OP_INSERT',
  '2004': 'OP_QUERY',
  '2005': 'OP_GET_MORE',
  '2006': 'OP_DELETE',
  '2007': 'OP_KILL_CURSORS',
  '2010': 'OP_COMMAND',
  '2011': 'OP_COMMANDREPLY',
  '2012': 'OP_COMPRESSED',
  '2013': 'OP_MSG',
}

export const mongodb: Mapping = {
  protocol: 'mongodb',
  dissector: 'mongo',
  read: (packets) => readLayers(packets, 'mongo'),
  fields: {
    opcode: {
      on: 'request',
      theirs: (nodes) => OPCODES[firstText(nodes, 'mongo.opcode') ?? ''],
      ours: 'mongodb.opcode',
    },
    request_id: { on: 'request', theirs: decimal('mongo.request_id'), ours: 'mongodb.request_id' },
    length: { on: 'request', theirs: 'mongo.message_length', ours: 'mongodb.request_size' },
    database: {
      on: 'request',
      theirs: 'mongo.database_name',
      ours: ({ call }) => {
        const { opcode, database } = Object(call.mongodb)
        return opcode === 'OP_MSG' ? undefined : database
      },
    },
    collection: {
      on: 'request',
      theirs: collection,
      ours: ({ call }) => {
        const { opcode, collection } = Object(call.mongodb)
        return opcode === 'OP_MSG' ? undefined : collection
      },
    },
    answer: {
      on: 'response',
      theirs: (nodes) => OPCODES[firstText(nodes, 'mongo.opcode') ?? ''],
      ours: 'response.opcode',
    },
    response_to: { on: 'response', theirs: decimal('mongo.response_to'), ours: 'mongodb.request_id' },
    response_length: { on: 'response', theirs: 'mongo.message_length', ours: 'mongodb.response_size' },
  },
}

/** Legacy messages name their collection beside the document, commands in its first element. */
function collection(nodes: readonly Shown[]): string | undefined {
  const name = firstText(nodes, 'mongo.collection_name')
  if (name !== '$cmd') return name
  const [element] = findAll(nodes, 'mongo.element.name')
  return element === undefined ? undefined : firstText([element], 'mongo.element.value.string')
}
