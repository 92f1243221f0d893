import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { statementText } from '../../sql/statement-text.ts'
import { errorName } from './error-code.ts'
import { OPCODE, opcodeName, resultName } from './opcode.ts'
import { pictureRequest, type RequestPicture, statementOf } from './request-picture.ts'
import { pictureResponse, type ResponsePicture } from './response-picture.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }
type Values = Readonly<Record<string, unknown>>

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  if (request !== undefined) {
    const opcode = Number(request.fields?.opcode)
    summary.method = opcodeName(opcode)
    if (request.kind === 'event') return summarizeEvent(request, summary)
    const path = pathOf(request, opcode)
    if (path !== undefined) summary.path = path
  }
  if (response !== undefined) conclude(response, summary)
  return summary
}

function pathOf(request: Message, opcode: number): string | undefined {
  const text = statementOf(request)
  if (text !== undefined && text.length > 0) return statementText(text)
  if (opcode === OPCODE.REGISTER) return pictureRequest(request).events?.join(', ')
  const user = request.fields?.user
  return typeof user === 'string' ? user : undefined
}

function conclude(response: Message, into: Draft): void {
  const { fields } = response
  const opcode = Number(fields?.opcode)
  into.status = typeof fields?.kind === 'number' ? resultName(fields.kind) : opcodeName(opcode)
  if (opcode !== OPCODE.ERROR) return
  const { error } = pictureResponse(response, [])
  into.status = error === undefined ? 'ERROR' : errorName(error.code)
  into.failure = error?.message ? `${into.status}: ${error.message}` : into.status
}

/** An event of the server: its subject, and what happened to it. */
function summarizeEvent(message: Message, into: Draft): Summary {
  const { event, change } = pictureResponse(message, [])
  if (event !== undefined) into.path = event
  if (change !== undefined) into.status = change
  return into
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status, failure } = summarize(exchange)
  const event = request?.kind === 'event'
  const asked = request === undefined || event ? undefined : pictureRequest(request)
  const said = event ? request : response
  const answered = said === undefined ? undefined : pictureResponse(said, asked?.columns ?? [])
  return {
    ...(request === undefined
      ? {}
      : {
          request: half(request, {
            method,
            path,
            ...shownRequest(asked),
            ...(event ? shownEvent(answered) : {}),
          }),
        }),
    ...(response === undefined ? {} : { response: half(response, { status, ...shownResponse(answered) }) }),
    own: definedValues({
      opcode: asked?.opcode ?? answered?.opcode,
      statement: asked?.statement,
      verb: asked?.verb,
      statement_id: request?.fields?.id ?? response?.fields?.id,
      unknown_statement: request?.fields?.unknown,
      ...asked?.values,
      batch_size: request?.fields?.statements,
      ...outcome(answered),
      keyspace: answered?.keyspace ?? asked?.values.keyspace ?? request?.fields?.keyspace,
      table: answered?.table ?? asked?.table,
      user: request?.fields?.user,
      options: asked?.options ?? answered?.options,
      events: asked?.events,
      success: said === undefined ? undefined : failure === undefined,
      version: (request ?? response)?.fields?.version,
      stream: (request ?? response)?.fields?.stream,
      compression: request?.fields?.compression ?? response?.fields?.compression,
      request_size: event ? undefined : request?.size,
      response_size: said?.size,
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    }),
  }
}

function outcome(answered: ResponsePicture | undefined): Values {
  if (answered === undefined) return {}
  const { opcode: _, options: __, values: ___, ...rest } = answered
  return rest
}

function shownRequest(asked: RequestPicture | undefined): Values {
  return { parameters: asked?.values.parameters, options: asked?.options, events: asked?.events }
}

function shownEvent(answered: ResponsePicture | undefined): Values {
  const { event, change, target, keyspace, table, address } = answered ?? {}
  return { event, change, target, keyspace, table, address }
}

function shownResponse(answered: ResponsePicture | undefined): Values {
  if (answered === undefined) return {}
  const { values, ...rest } = answered
  return { ...rest, body: values === undefined || values.length === 0 ? undefined : JSON.stringify(values) }
}

function half(message: Message, values: Values): PresentedMessage {
  const { fields, truncated, body, bodySize } = message
  return definedValues({
    ...values,
    compression: fields?.compression,
    unreadable: fields?.unreadable,
    body_size: values.body === undefined ? undefined : (bodySize ?? body?.length),
    truncated,
  })
}
