import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  memcached_command: {
    type: 'string',
    path: 'memcached.command',
    doc: 'Command as the specification names it, in lower case: get, set, mg, getkq …',
    example: 'memcached_command == "get"',
  },
  memcached_key: {
    type: 'string',
    path: 'memcached.key',
    doc: 'First key of the command',
    example: 'memcached_key.startsWith("user:")',
  },
  memcached_keys: {
    type: 'list',
    path: 'memcached.keys',
    doc: 'All keys of a get',
    example: '"user:1" in memcached_keys',
  },
  memcached_format: {
    type: 'string',
    path: 'memcached.format',
    doc: 'text or binary',
    example: 'memcached_format == "binary"',
  },
  memcached_hits: {
    type: 'integer',
    path: 'memcached.hits',
    doc: 'How many of the keys asked for were there',
    example: 'memcached_hits == 0',
  },
  memcached_value_size: {
    type: 'integer',
    path: 'memcached.value_size',
    doc: 'Bytes of the value that was stored, or of the values that were read',
    example: 'memcached_value_size > 100000',
  },
  memcached_quiet: {
    type: 'boolean',
    path: 'memcached.quiet',
    doc: 'The command asked for no answer, or for none without news',
    example: 'memcached_quiet == true',
  },
  memcached_opaque: {
    type: 'string',
    path: 'memcached.opaque',
    doc: 'What ties an answer to its request',
    example: 'memcached_opaque == "7"',
  },
  memcached_error: {
    type: 'string',
    path: 'memcached.error',
    doc: 'Text of an error',
    example: 'memcached_error.contains("too large")',
  },
  memcached_request_size: {
    type: 'integer',
    path: 'memcached.request_size',
    doc: 'Bytes of the command on the wire',
    example: 'memcached_request_size > 100000',
  },
  memcached_response_size: {
    type: 'integer',
    path: 'memcached.response_size',
    doc: 'Bytes of the answer on the wire',
    example: 'memcached_response_size > 100000',
  },
} as const satisfies Fields
