import { definedValues } from '../../content/defined-values.ts'
import { textOrBase64 } from '../../content/text-or-base64.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { showMethod, summarizeClassic } from './classic/present.ts'
import { readHead, showPerformative, summarizeModern } from './modern/present.ts'
import { readSections } from './modern/sections.ts'
import { headerVersion } from './protocol-header.ts'

type Fields = { readonly [name: string]: FieldValue }
const A = 0x41

/** What a half says, whichever version it is in. */
interface Shown {
  readonly version: string
  readonly method?: string
  readonly channel?: number
  readonly arguments?: Fields
  readonly properties?: Fields
  readonly body?: Pick<PresentedMessage, 'body' | 'body_encoding'>
}

export function summarize({ request, response }: Exchange): Summary {
  const head = request?.head ?? response?.head
  if (head === undefined || head.length === 0) return {}
  if (head[0] === A) return summarizeHeader(request, response)
  return head[0] === 0 ? summarizeModern(request, response) : summarizeClassic(request, response)
}

function summarizeHeader(request: Message | undefined, response: Message | undefined): Summary {
  const asked = request?.head
  const answer = response?.head
  const method = 'protocol-header'
  if (request?.fields?.refused === true && asked !== undefined)
    return { method, status: 'refused', failure: `the server speaks ${headerVersion(asked)}` }
  if (answer === undefined) return { method }
  const offered = headerVersion(answer)
  if (asked === undefined || headerVersion(asked) === offered) return { method, status: 'ok' }
  return { method, status: 'refused', failure: `the server speaks ${offered}` }
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status, failure } = summarize(exchange)
  const asked = request === undefined ? undefined : show(request)
  const answered = response === undefined ? undefined : show(response)
  const all = { ...answered?.arguments, ...asked?.arguments, ...answered?.arguments }
  const properties = asked?.properties ?? answered?.properties
  const content = (request?.body ?? request?.bodySize !== undefined) ? request : response
  return {
    ...(request === undefined ? {} : { request: half(request, { method, path }, asked) }),
    ...(response === undefined ? {} : { response: half(response, { status }, answered) }),
    own: definedValues({
      version: asked?.version ?? answered?.version,
      method,
      summary: path === undefined ? method : `${method} ${path}`,
      answer: answered?.method,
      channel: asked?.channel ?? answered?.channel,
      exchange: nonEmpty(all.exchange) ?? nonEmpty(all.source),
      routing_key: nonEmpty(all.routing_key),
      queue: nonEmpty(answered?.arguments?.queue) ?? nonEmpty(asked?.arguments?.queue),
      consumer_tag: nonEmpty(all.consumer_tag),
      delivery_tag: all.delivery_tag,
      message_count: all.message_count,
      virtual_host: all.virtual_host,
      address: request?.fields?.address ?? response?.fields?.address,
      user: request?.fields?.user ?? response?.fields?.user,
      reply_code: all.reply_code,
      reply_text: nonEmpty(all.reply_text),
      content_type: properties?.content_type,
      message_id: properties?.message_id,
      correlation_id: properties?.correlation_id,
      reply_to: properties?.reply_to,
      headers: properties?.headers ?? properties?.application_properties,
      body_size: content === undefined ? undefined : bodySize(content),
      success: response === undefined && failure === undefined ? undefined : failure === undefined,
      request: request !== undefined,
      response: response !== undefined,
      request_length: request?.size,
      response_length: response?.size,
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    }),
  }
}

function show({ head, body, truncated }: Message): Shown | undefined {
  if (head === undefined || head.length === 0) return undefined
  if (head[0] === A) return { version: headerVersion(head), method: 'protocol-header' }
  if (head[0] !== 0) return { version: '0-9-1', ...showMethod(head), body: textOrBase64(body, truncated) }
  const performative = readHead(head)
  if (performative === undefined) return { version: '1.0' }
  const shown = {
    version: '1.0',
    method: performative.name,
    channel: (head[6] << 8) | head[7],
    arguments: showPerformative(performative),
  }
  if (body === undefined) return shown
  const { sections, data } = readSections(body)
  const { header, properties, value, sequence, ...rest } = sections
  const flat = { ...rest, ...recordOf(header), ...recordOf(properties) }
  if (data !== undefined) return { ...shown, properties: flat, body: textOrBase64(data, truncated) }
  const content = value ?? sequence
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return { ...shown, properties: flat, ...(text === undefined ? {} : { body: { body: text } }) }
}

function half(
  message: Message,
  values: Readonly<Record<string, unknown>>,
  shown: Shown | undefined,
): PresentedMessage {
  return definedValues({
    ...values,
    answer: message.kind === 'response' ? shown?.method : undefined,
    arguments: shown?.arguments,
    properties: shown?.properties,
    ...shown?.body,
    body_size: bodySize(message),
    truncated: message.truncated,
  })
}

function bodySize({ body, bodySize: size }: Message): number | undefined {
  return size ?? body?.length
}

function recordOf(value: FieldValue | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function nonEmpty(value: FieldValue | undefined): FieldValue | undefined {
  return value === '' ? undefined : value
}
