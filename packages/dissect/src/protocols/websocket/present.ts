import { presentBody } from '../../content/present-body.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { base64, utf8Lossy } from '../../text/text.ts'
import { closeCodeName, isFailure } from './close-code.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize({ request }: Exchange): Summary {
  const summary: Draft = {}
  const { opcode, path } = request?.fields ?? {}
  if (typeof opcode === 'string') summary.method = opcode
  if (typeof path === 'string') summary.path = path
  const code = request === undefined ? undefined : closeCodeOf(request)
  if (code !== undefined && isFailure(code)) summary.failure = [code, closeCodeName(code)].join(' ').trim()
  return summary
}

export function present({ request }: Exchange): Presentation {
  if (request === undefined) return {}
  const { fields = {} } = request
  const fromClient = fields.from === 'client'
  const half = presentPayload(request)
  const code = closeCodeOf(request)
  const length = fields.payload_length
  const reason = code === undefined || request.body === undefined ? '' : utf8Lossy(request.body.subarray(2))
  return {
    request: half,
    own: {
      opcode: fields.opcode,
      from: fields.from,
      request: fromClient,
      response: !fromClient,
      ...(fields.path === undefined ? {} : { path: fields.path }),
      ...(half.body === undefined ? {} : { payload: half.body }),
      payload_length: length,
      ...(fromClient
        ? {
            ...(half.body === undefined ? {} : { request_payload: half.body }),
            request_payload_length: length,
          }
        : { response_payload_length: length }),
      frames: fields.frames ?? 1,
      compressed: fields.compressed === true,
      ...(code === undefined ? {} : { close_code: code }),
      ...(reason === '' ? {} : { close_reason: reason }),
    },
  }
}

function presentPayload(message: Message): PresentedMessage {
  const { body, bodySize, truncated, fields = {} } = message
  return {
    ...payloadOf(body, fields, truncated === true),
    body_size: bodySize ?? body?.length ?? 0,
    ...(fields.unreadable === true ? { body_decoded: false } : {}),
    ...(truncated ? { truncated } : {}),
  }
}

function payloadOf(
  body: Uint8Array | undefined,
  fields: NonNullable<Message['fields']>,
  truncated: boolean,
): Pick<PresentedMessage, 'body' | 'body_encoding'> {
  if (body === undefined || fields.opcode === 'close') return {}
  if (fields.unreadable === true) return { body: base64(body), body_encoding: 'base64' }
  return fields.opcode === 'text' ? { body: utf8Lossy(body) } : presentBody(body, undefined, truncated)
}

/** RFC 6455 §5.5.1: the code stands first, if there is one. */
function closeCodeOf({ fields, body }: Message): number | undefined {
  if (fields?.opcode !== 'close' || body === undefined || body.length < 2) return undefined
  return (body[0] << 8) | body[1]
}
