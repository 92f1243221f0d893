import { presentBody } from '../../content/present-body.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { requestSize, responseSize } from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { binaryDetails } from './binary-details.ts'
import type { Details } from './details.ts'
import { textDetails } from './text-details.ts'

interface View extends Exchange {
  readonly summary: Summary
  readonly isBinary: boolean
  readonly own: Details['own']
  readonly asked: Content
  readonly answered: Content
}

type Content = Pick<PresentedMessage, 'body' | 'body_encoding' | 'body_size'>

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const first = request?.head ?? response?.head
  const isBinary = first !== undefined && first[0] >= 0x80
  const { own, stored, answer } = (isBinary ? binaryDetails : textDetails)(request, response)
  return {
    protocol,
    request,
    response,
    summary,
    isBinary,
    own,
    asked: shownContent(request, stored),
    answered: shownContent(response, answer),
  }
}

function shownContent(message: Message | undefined, shown: Uint8Array | string | undefined): Content {
  if (shown === undefined) return {}
  const body =
    typeof shown === 'string' ? { body: shown } : presentBody(shown, undefined, message?.truncated === true)
  return { ...body, body_size: message?.bodySize ?? message?.body?.length ?? shown.length }
}

const isSilent = (message: Message | undefined) => (message?.fields?.silent === true ? true : undefined)

export const shape = {
  read,
  request: {
    body: ({ asked }) => asked.body,
    body_encoding: ({ asked }) => asked.body_encoding,
    body_size: ({ asked }) => asked.body_size,
    truncated: ({ request }) => request?.truncated || undefined,
    silent: ({ request }) => isSilent(request),
  },
  response: {
    body: ({ answered }) => answered.body,
    body_encoding: ({ answered }) => answered.body_encoding,
    body_size: ({ answered }) => answered.body_size,
    truncated: ({ response }) => response?.truncated || undefined,
    silent: ({ response }) => isSilent(response),
  },
  own: {
    format: {
      from: ({ isBinary }) => (isBinary ? 'binary' : 'text'),
      type: 'string',
      doc: 'text or binary',
      example: 'memcached_format == "binary"',
    },
    command: {
      from: ({ own }) => own.command,
      type: 'string',
      doc: 'Command as the specification names it, in lower case: get, set, mg, getkq …',
      example: 'memcached_command == "get"',
    },
    key: {
      from: ({ own }) => own.key,
      type: 'string',
      doc: 'First key of the command',
      example: 'memcached_key.startsWith("user:")',
    },
    keys: {
      from: ({ own }) => own.keys,
      type: 'list',
      doc: 'All keys of a get',
      example: '"user:1" in memcached_keys',
    },
    args: ({ own }) => own.args,
    hits: {
      from: ({ own }) => own.hits,
      type: 'integer',
      doc: 'How many of the keys asked for were there',
      example: 'memcached_hits == 0',
    },
    value_size: {
      from: ({ own }) => own.value_size,
      type: 'integer',
      doc: 'Bytes of the value that was stored, or of the values that were read',
      example: 'memcached_value_size > 100000',
    },
    quiet: {
      from: ({ own }) => own.quiet,
      type: 'boolean',
      doc: 'The command asked for no answer, or for none without news',
      example: 'memcached_quiet == true',
    },
    opaque: {
      from: ({ own }) => own.opaque,
      type: 'string',
      doc: 'What ties an answer to its request',
      example: 'memcached_opaque == "7"',
    },
    status_code: ({ own }) => own.status_code,
    cas: ({ own }) => own.cas,
    error: {
      from: ({ summary }) => summary.failure,
      type: 'string',
      doc: 'Text of an error',
      example: 'memcached_error.contains("too large")',
    },
    request_size: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the command on the wire',
      example: 'memcached_request_size > 100000',
    },
    response_size: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the answer on the wire',
      example: 'memcached_response_size > 100000',
    },
  },
} as const satisfies Shape<View>
