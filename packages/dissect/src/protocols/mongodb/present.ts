import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { documentsOf } from './documents.ts'
import { errorCodeName } from './error-code.ts'
import { int32 } from './frame.ts'
import { FLAG } from './layout.ts'
import { OPCODE, opcodeName } from './opcode.ts'

export function summarize({ request, response }: Exchange): Summary {
  const asked = request ?? response
  const opcode = asked?.fields?.opcode
  const command = textOf(asked?.fields?.command)
  const fallback = request !== undefined && typeof opcode === 'number' ? opcodeName(opcode) : undefined
  const method = command ?? fallback
  const path = pathOf(asked)
  const outcome = outcomeOf(request, response)
  return {
    ...(method === undefined ? {} : { method }),
    ...(path === undefined ? {} : { path }),
    ...(outcome?.ok === true ? { status: 'ok' } : {}),
    ...(outcome?.ok === false ? failureOf(outcome) : {}),
  }
}

function pathOf(message: Message | undefined): string | undefined {
  const database = textOf(message?.fields?.database)
  const collection = textOf(message?.fields?.collection)
  if (database === undefined || collection === undefined) return database ?? collection
  return `${database}.${collection}`
}

/** A reply in a stream is an event, and says how it went as any other. */
function outcomeOf(request: Message | undefined, response: Message | undefined): Message['fields'] {
  if (request?.fields?.legacy === true && response !== undefined && response.fields?.flagged !== true)
    return { ok: true }
  return response?.fields ?? (request?.kind === 'event' ? request.fields : undefined)
}

function failureOf(outcome: NonNullable<Message['fields']>): Summary {
  const { code, error } = outcome
  const name = codeNameOf(outcome)
  const status = typeof code === 'number' ? code : 'error'
  return { status, failure: name ?? textOf(error) ?? `error ${status}` }
}

function codeNameOf({ code, code_name: name }: NonNullable<Message['fields']>): string | undefined {
  return textOf(name) ?? (typeof code === 'number' ? errorCodeName(code) : undefined)
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status } = summarize(exchange)
  const asked = request ?? response
  const outcome = outcomeOf(request, response)
  const failed = outcome?.ok === false ? outcome : undefined
  return {
    ...(request === undefined ? {} : { request: half(request, { method, path }) }),
    ...(response === undefined ? {} : { response: half(response, { status }) }),
    own: definedValues({
      command: asked?.fields?.command ?? method,
      database: asked?.fields?.database,
      collection: asked?.fields?.collection,
      opcode: typeof asked?.fields?.opcode === 'number' ? opcodeName(asked.fields.opcode) : undefined,
      request_id: request?.head === undefined ? undefined : int32(request.head, 4),
      compressor: asked?.fields?.compressor ?? response?.fields?.compressor,
      flags: request === undefined ? undefined : flagsOf(request),
      success: outcome?.ok,
      error_code: failed?.code,
      error_code_name: failed === undefined ? undefined : codeNameOf(failed),
      error_message: failed?.error,
      request_size: request?.size,
      response_size: response?.size,
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    }),
  }
}

function half(message: Message, values: Readonly<Record<string, unknown>>): PresentedMessage {
  const { fields, body, bodySize, truncated } = message
  const opcode = typeof fields?.opcode === 'number' ? fields.opcode : 0
  const documents = body === undefined ? undefined : documentsOf(opcode, body)
  const unreadable = fields?.compressor !== undefined && body?.length === 0
  return definedValues({
    ...values,
    opcode: opcodeName(opcode),
    flags: flagsOf(message),
    compressor: fields?.compressor,
    unreadable: unreadable ? true : undefined,
    body: documents === undefined ? undefined : JSON.stringify(documents),
    body_size: bodySize ?? body?.length,
    truncated,
  })
}

function flagsOf({ fields, body }: Message): readonly string[] | undefined {
  if (fields?.opcode !== OPCODE.MSG || body === undefined || body.length < 4) return undefined
  const bits = int32(body, 0)
  const names: string[] = []
  if (bits & FLAG.CHECKSUM) names.push('checksumPresent')
  if (bits & FLAG.MORE_TO_COME) names.push('moreToCome')
  if (bits & FLAG.EXHAUST_ALLOWED) names.push('exhaustAllowed')
  return names.length > 0 ? names : undefined
}

function textOf(value: FieldValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
