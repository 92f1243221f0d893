import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../../contract/call.ts'
import type { FieldValue, Message } from '../../../contract/message.ts'
import { AmqpCursor } from '../amqp-cursor.ts'
import { readArguments, seekArgument } from './arguments.ts'
import { HEADER, sizeAt } from './frame.ts'
import { METHOD, type Method, methodId, methodOf } from './methods.ts'
import { CONTENT_HEADER, readProperties } from './properties.ts'
import { secretOf } from './secret.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

/** What names the thing that a method is about, the best first. */
const SUBJECTS: readonly string[] = ['queue', 'exchange', 'destination', 'virtual_host']

const OK = 200

function idOf(head: Uint8Array): number {
  return methodId((head[7] << 8) | head[8], (head[9] << 8) | head[10])
}

function nameOf(id: number): string {
  return methodOf(id)?.name ?? `${id >>> 16}.${id & 0xffff}`
}

/** The common columns of a method and its answer, of which one may be missing. */
export function summarizeClassic(request: Message | undefined, response: Message | undefined): Summary {
  const summary: Draft = {}
  const asked = request?.head === undefined ? undefined : idOf(request.head)
  const answered = response?.head === undefined ? undefined : idOf(response.head)
  const answeredMethod = answered === undefined ? undefined : methodOf(answered)
  if (asked !== undefined) summary.method = nameOf(asked)
  else if (answered !== undefined) summary.method = nameOf(answeredMethod?.answers ?? answered)
  const path = pathOf(request?.head) || pathOf(response?.head)
  if (path) summary.path = path
  if (request !== undefined && asked !== undefined) judgeRequest(request, asked, summary)
  if (response?.head === undefined || answered === undefined) return summary
  if (answered === METHOD.CHANNEL_CLOSE || answered === METHOD.CONNECTION_CLOSE)
    judgeReply(response.head, answered, summary)
  else summary.status ??= 'ok'
  return summary
}

function judgeRequest(request: Message, id: number, into: Draft): void {
  const { head, fields } = request
  if (head === undefined) return
  if (id === METHOD.CHANNEL_CLOSE || id === METHOD.CONNECTION_CLOSE || id === METHOD.RETURN)
    judgeReply(head, id, into)
  else if (id === METHOD.BLOCKED) into.failure = `blocked: ${textOf(head, 'reason') ?? ''}`
  else if (id === METHOD.NACK && fields?.refused === true) into.failure = 'not confirmed by the broker'
  else if (id === METHOD.CANCEL && fields?.refused === true) into.failure = 'consumer cancelled by the broker'
}

/** A close or a return says why: a code that is a success only where it is 200, or zero by the habit of clients. */
function judgeReply(head: Uint8Array, id: number, into: Draft): void {
  const method = methodOf(id)
  if (method === undefined) return
  try {
    const cursor = new AmqpCursor(head, HEADER + 4)
    const code = cursor.short()
    if (code === OK || code === 0) return
    into.status = code
    into.failure = cursor.text(cursor.byte()) || `reply code ${code}`
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}

function pathOf(head: Uint8Array | undefined): string | undefined {
  const method = head === undefined ? undefined : methodOf(idOf(head))
  if (head === undefined || method === undefined) return undefined
  if (!method.content) {
    const subject = SUBJECTS.find((name) => method.arguments.some((argument) => argument.name === name))
    return subject === undefined ? undefined : textOf(head, subject)
  }
  const exchange = textOf(head, 'exchange')
  const key = textOf(head, 'routing_key')
  // The exchange without a name leads to the queue that the key names.
  return exchange && key ? `${exchange}/${key}` : exchange || key
}

function textOf(head: Uint8Array, name: string): string | undefined {
  const method = methodOf(idOf(head))
  try {
    const cursor = new AmqpCursor(head, Math.min(HEADER + 4, head.length), methodEnd(head))
    if (method === undefined || !seekArgument(cursor, method, name)) return undefined
    return cursor.text(cursor.byte())
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Behind the method stands its content header, if it has one. */
function methodEnd(head: Uint8Array): number {
  return Math.min(head.length, HEADER + sizeAt(head, 0))
}

interface ShownMethod {
  readonly method: string
  readonly channel: number
  readonly arguments: { readonly [name: string]: FieldValue }
  readonly properties?: { readonly [name: string]: FieldValue }
}

/** All that a head says; what cannot be read is left out. */
export function showMethod(head: Uint8Array): ShownMethod {
  const id = idOf(head)
  const method = methodOf(id)
  const end = methodEnd(head)
  const shown = { method: nameOf(id), channel: (head[1] << 8) | head[2] }
  if (method === undefined) return { ...shown, arguments: {} }
  const properties: { [name: string]: FieldValue } = {}
  const header = Math.min(end + CONTENT_HEADER, head.length)
  if (head.length > end) orLess(() => readProperties(new AmqpCursor(head, header), properties))
  return {
    ...shown,
    arguments: argumentsOf(head, method, end),
    ...(head.length > end ? { properties } : {}),
  }
}

function argumentsOf(head: Uint8Array, method: Method, end: number): { [name: string]: FieldValue } {
  const values: { [name: string]: FieldValue } = {}
  orLess(() => readArguments(new AmqpCursor(head, Math.min(HEADER + 4, end), end), method, values))
  const secret = secretOf(method)
  if (secret !== undefined) values[secret] = '(hidden)'
  // Reserved since 0-9.
  for (const reserved of ['ticket', 'out_of_band', 'capabilities', 'known_hosts', 'cluster_id', 'insist'])
    delete values[reserved]
  if (method.id === methodId(20, 11)) delete values.channel_id
  return values
}

function orLess(read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}
