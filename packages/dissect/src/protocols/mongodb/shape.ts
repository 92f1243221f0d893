import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { requestSize, responseSize, totalSize } from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { documentsOf } from './documents.ts'
import { int32 } from './frame.ts'
import { FLAG } from './layout.ts'
import { OPCODE, opcodeName } from './opcode.ts'
import { codeNameOf, outcomeOf } from './summarize.ts'

type Fields = NonNullable<Message['fields']>

interface View extends Exchange {
  readonly summary: Summary
  readonly asked: Fields
  readonly outcome: Fields | undefined
  /** The outcome, where it is a failure. */
  readonly failed: Fields | undefined
}

const NONE: Fields = {}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const outcome = outcomeOf(request, response)
  const failed = outcome?.ok === false ? outcome : undefined
  return {
    protocol,
    request,
    response,
    summary,
    asked: (request ?? response)?.fields ?? NONE,
    outcome,
    failed,
  }
}

function shownMessage({ fields, body, bodySize, truncated }: Message): Readonly<Record<string, unknown>> {
  const opcode = typeof fields?.opcode === 'number' ? fields.opcode : 0
  const documents = body === undefined ? undefined : documentsOf(opcode, body)
  return {
    opcode: opcodeName(opcode),
    flags: flagsOf(fields, body),
    compressor: fields?.compressor,
    unreadable: fields?.compressor !== undefined && body?.length === 0 ? true : undefined,
    body: documents === undefined ? undefined : JSON.stringify(documents),
    body_size: bodySize ?? body?.length,
    truncated,
  }
}

function flagsOf(fields: Message['fields'], body: Uint8Array | undefined): readonly string[] | undefined {
  if (fields?.opcode !== OPCODE.MSG || body === undefined || body.length < 4) return undefined
  const bits = int32(body, 0)
  const names: string[] = []
  if (bits & FLAG.CHECKSUM) names.push('checksumPresent')
  if (bits & FLAG.MORE_TO_COME) names.push('moreToCome')
  if (bits & FLAG.EXHAUST_ALLOWED) names.push('exhaustAllowed')
  return names.length > 0 ? names : undefined
}

export const shape = {
  read,
  request: ({ request, summary: { method, path } }) => ({
    method,
    path,
    ...(request && shownMessage(request)),
  }),
  response: ({ response, summary: { status } }) => ({ status, ...(response && shownMessage(response)) }),
  own: {
    command: {
      from: ({ asked, summary }) => asked.command ?? summary.method,
      type: 'string',
      doc: 'Command: find, insert, aggregate, hello …; legacy messages as the commands that took their place',
      example: 'mongodb_command == "aggregate"',
    },
    database: {
      from: ({ asked }) => asked.database,
      type: 'string',
      doc: 'Database that the command is for',
      example: 'mongodb_database == "shop"',
    },
    collection: {
      from: ({ asked }) => asked.collection,
      type: 'string',
      doc: 'Collection that the command is for',
      example: 'mongodb_collection == "orders"',
    },
    opcode: {
      from: ({ asked }) => (typeof asked.opcode === 'number' ? opcodeName(asked.opcode) : undefined),
      type: 'string',
      doc: 'Kind of message: OP_MSG, OP_QUERY …; of a compressed one, what it carries',
      example: 'mongodb_opcode == "OP_QUERY"',
    },
    request_id: {
      from: ({ request }) => (request?.head === undefined ? undefined : int32(request.head, 4)),
      type: 'integer',
      doc: 'Number of the request on its connection',
      example: 'mongodb_request_id == 4711',
    },
    compressor: {
      from: ({ asked, response }) => asked.compressor ?? response?.fields?.compressor,
      type: 'string',
      doc: 'How messages are compressed: snappy, zlib, zstd',
      example: 'mongodb_compressor == "zstd"',
    },
    flags: {
      from: ({ request }) => request && flagsOf(request.fields, request.body),
      type: 'list',
      doc: 'Flags of the request: checksumPresent, moreToCome, exhaustAllowed',
      example: '"moreToCome" in mongodb_flags',
    },
    success: {
      from: ({ outcome }) => outcome?.ok,
      type: 'boolean',
      doc: 'The reply says that it went well, every write of it included',
      example: 'mongodb && !mongodb_success',
    },
    error_code: {
      from: ({ failed }) => failed?.code,
      type: 'integer',
      doc: 'Code of the failure, or of the first write that failed',
      example: 'mongodb_error_code == 11000',
    },
    error_code_name: {
      from: ({ failed }) => failed && codeNameOf(failed),
      type: 'string',
      doc: 'Name of that code',
      example: 'mongodb_error_code_name == "DuplicateKey"',
    },
    error_message: {
      from: ({ failed }) => failed?.error,
      type: 'string',
      doc: 'What the server says of the failure',
      example: 'mongodb_error_message.contains("timed out")',
    },
    request_size: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the request',
      example: 'mongodb_request_size > 1000000',
    },
    response_size: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the reply',
      example: 'mongodb_response_size > 1000000',
    },
    total_size: {
      from: totalSize,
      type: 'integer',
      doc: 'Bytes of both',
      example: 'mongodb_total_size > 1000000',
    },
  },
} as const satisfies Shape<View>
