import { Malformed } from '@tapdeck/wire'
import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { type Envelope, openEnvelope, readControls } from './envelope.ts'
import { isFailure, oidName, resultName } from './names.ts'
import { isRequest, operationName, requestNameOf } from './operation.ts'
import { readRequest, subjectOf } from './request.ts'
import { readParts, readResult, resultCode } from './response.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }
type Shown = Record<string, unknown>

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  const asked = opened(request)
  const answered = opened(response)
  attempt(() => {
    if (asked === undefined) return
    summary.method = operationName(asked.tag) ?? `[APPLICATION ${asked.tag & 0x1f}]`
    if (operationName(asked.tag) === undefined) return
    if (!isRequest(asked.tag)) conclude(asked, summary)
    else {
      const path = subjectOf(asked)
      if (path !== '') summary.path = path
    }
  })
  attempt(() => {
    if (answered === undefined) return
    const method = requestNameOf(answered.tag)
    if (summary.method === undefined && method !== undefined) summary.method = method
    conclude(answered, summary)
  })
  return summary
}

function conclude(envelope: Envelope, into: Draft): void {
  const code = resultCode(envelope)
  if (code < 0) return
  into.status = resultName(code)
  if (isFailure(code)) into.failure = into.status
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status } = summarize(exchange)
  const asked = shownHalf(request)
  const answered = shownHalf(response)
  const parts = response?.body === undefined ? undefined : readParts(response.body)
  const count = response?.fields?.entries
  const result = answered.result === undefined ? asked : answered
  return {
    ...(request === undefined ? {} : { request: half(request, { method, path, ...asked }) }),
    ...(response === undefined ? {} : { response: half(response, { status, ...answered, ...parts }) }),
    own: definedValues({
      type: method,
      summary: sentence(method, path, asked, status),
      message_id: request?.key ?? response?.key,
      dn: asked.oid === undefined ? path : undefined,
      oid: asked.oid ?? answered.oid,
      auth: asked.auth,
      scope: asked.scope,
      filter: asked.filter,
      attributes: Array.isArray(asked.attributes) ? asked.attributes : undefined,
      entries: count,
      references: response?.fields?.references,
      result: result.result,
      result_code: result.result_code,
      message: result.message,
      matched_dn: result.matched_dn,
      request: request !== undefined,
      response: response !== undefined,
      request_length: request?.size,
      response_length: response?.size,
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    }),
  }
}

/** One line for people. */
function sentence(
  method: string | undefined,
  path: string | undefined,
  asked: Shown,
  status: Summary['status'],
): string | undefined {
  const words = [
    method,
    path === undefined ? undefined : `"${path}"`,
    asked.auth,
    asked.scope,
    asked.filter,
    status,
  ]
  const said = words.filter((word) => word !== undefined)
  return said.length === 0 ? undefined : said.join(' ')
}

function shownHalf(message: Message | undefined): Shown {
  const envelope = opened(message)
  const shown: Shown = {}
  if (envelope === undefined) return shown
  shown.operation = operationName(envelope.tag)
  attempt(() => Object.assign(shown, isRequest(envelope.tag) ? readRequest(envelope) : readResult(envelope)))
  attempt(() => {
    const controls = readControls(envelope).map((control) => ({ ...control, name: oidName(control.oid) }))
    if (controls.length > 0) shown.controls = controls
  })
  return shown
}

function half(message: Message, values: Shown): PresentedMessage {
  return definedValues({ ...values, truncated: message.truncated })
}

function opened(message: Message | undefined): Envelope | undefined {
  const head = message?.head
  if (head === undefined) return undefined
  return attempt(() => openEnvelope(head, 0, head.length))
}

/** Half messages are shown as far as they can be read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
