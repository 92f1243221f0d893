import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { errorCodeName } from './error-code.ts'
import { opcodeName } from './opcode.ts'

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
export function outcomeOf(request: Message | undefined, response: Message | undefined): Message['fields'] {
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

export function codeNameOf({ code, code_name: name }: NonNullable<Message['fields']>): string | undefined {
  return textOf(name) ?? (typeof code === 'number' ? errorCodeName(code) : undefined)
}

function textOf(value: FieldValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
