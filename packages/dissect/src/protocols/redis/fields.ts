import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  redis_type: {
    type: 'string',
    path: 'redis.type',
    doc: 'RESP type of the reply, or of the push: Bulk String, Integer, Array, Error …',
    example: 'redis_type == "Error"',
  },
  redis_command: {
    type: 'string',
    path: 'redis.command',
    doc: 'Verb of the command, in upper case',
    example: 'redis_command == "HGETALL"',
  },
  redis_key: {
    type: 'string',
    path: 'redis.key',
    doc: 'First key of the command or the channel, at most 64 bytes of it',
    example: 'redis_key.startsWith("session:")',
  },
  redis_args: {
    type: 'list',
    path: 'redis.args',
    doc: 'Arguments of the command after its verb, the first of them, shortened; passwords are hidden',
    example: '"EX" in redis_args',
  },
  redis_error: {
    type: 'string',
    path: 'redis.error',
    doc: 'Text of an error reply; of EXEC, that of the first command in it that failed',
    example: 'redis_error.contains("WRONGTYPE")',
  },
  redis_request_size: {
    type: 'integer',
    path: 'redis.request_size',
    doc: 'Bytes of the command on the wire',
    example: 'redis_request_size > 100000',
  },
  redis_response_size: {
    type: 'integer',
    path: 'redis.response_size',
    doc: 'Bytes of the reply on the wire',
    example: 'redis_response_size > 100000',
  },
  redis_total_size: {
    type: 'integer',
    path: 'redis.total_size',
    doc: 'Bytes of command and reply together',
    example: 'redis_total_size > 1000000',
  },
} as const satisfies Fields
