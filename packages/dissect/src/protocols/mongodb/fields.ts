import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  mongodb_command: {
    type: 'string',
    path: 'mongodb.command',
    doc: 'Command: find, insert, aggregate, hello …; legacy messages as the commands that took their place',
    example: 'mongodb_command == "aggregate"',
  },
  mongodb_database: {
    type: 'string',
    path: 'mongodb.database',
    doc: 'Database that the command is for',
    example: 'mongodb_database == "shop"',
  },
  mongodb_collection: {
    type: 'string',
    path: 'mongodb.collection',
    doc: 'Collection that the command is for',
    example: 'mongodb_collection == "orders"',
  },
  mongodb_opcode: {
    type: 'string',
    path: 'mongodb.opcode',
    doc: 'Kind of message: OP_MSG, OP_QUERY …; of a compressed one, what it carries',
    example: 'mongodb_opcode == "OP_QUERY"',
  },
  mongodb_request_id: {
    type: 'integer',
    path: 'mongodb.request_id',
    doc: 'Number of the request on its connection',
    example: 'mongodb_request_id == 4711',
  },
  mongodb_compressor: {
    type: 'string',
    path: 'mongodb.compressor',
    doc: 'How messages are compressed: snappy, zlib, zstd',
    example: 'mongodb_compressor == "zstd"',
  },
  mongodb_flags: {
    type: 'list',
    path: 'mongodb.flags',
    doc: 'Flags of the request: checksumPresent, moreToCome, exhaustAllowed',
    example: '"moreToCome" in mongodb_flags',
  },
  mongodb_success: {
    type: 'boolean',
    path: 'mongodb.success',
    doc: 'The reply says that it went well, every write of it included',
    example: 'mongodb && !mongodb_success',
  },
  mongodb_error_code: {
    type: 'integer',
    path: 'mongodb.error_code',
    doc: 'Code of the failure, or of the first write that failed',
    example: 'mongodb_error_code == 11000',
  },
  mongodb_error_code_name: {
    type: 'string',
    path: 'mongodb.error_code_name',
    doc: 'Name of that code',
    example: 'mongodb_error_code_name == "DuplicateKey"',
  },
  mongodb_error_message: {
    type: 'string',
    path: 'mongodb.error_message',
    doc: 'What the server says of the failure',
    example: 'mongodb_error_message.contains("timed out")',
  },
  mongodb_request_size: {
    type: 'integer',
    path: 'mongodb.request_size',
    doc: 'Bytes of the request',
    example: 'mongodb_request_size > 1000000',
  },
  mongodb_response_size: {
    type: 'integer',
    path: 'mongodb.response_size',
    doc: 'Bytes of the reply',
    example: 'mongodb_response_size > 1000000',
  },
  mongodb_total_size: {
    type: 'integer',
    path: 'mongodb.total_size',
    doc: 'Bytes of both',
    example: 'mongodb_total_size > 1000000',
  },
} as const satisfies Fields
