import { Malformed } from '@tapdeck/wire'
import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { utf8Lossy } from '../../text/text.ts'
import { attributeName, attributeValue, hex } from './attribute.ts'
import { codeName, find, HEADER, isFailure, USER_NAME, walk } from './packet.ts'
import { readVendor, VENDOR_SPECIFIC } from './vendor.ts'

type Value = string | number
type Attributes = Record<string, Value | Value[]>

/** What a lone answer answers. An Access-Accept may also answer a Status-Server, which is rare. */
const ASKED: Readonly<Record<number, number>> = { 2: 1, 3: 1, 11: 1, 5: 4, 41: 40, 42: 40, 44: 43, 45: 43 }

export function summarize({ request, response }: Exchange): Summary {
  const summary: { -readonly [K in keyof Summary]: Summary[K] } = {}
  const asked = request?.head
  const answered = response?.head
  const method = codeName(asked?.[0] ?? ASKED[answered?.[0] ?? 0] ?? 0)
  if (method !== undefined) summary.method = method
  const user = userOf(asked) ?? userOf(answered)
  if (user !== undefined && user !== '') summary.path = user
  if (answered !== undefined) {
    const status = codeName(answered[0])
    if (status !== undefined) summary.status = status
    if (status !== undefined && isFailure(answered[0])) summary.failure = status
  }
  return summary
}

function userOf(head: Uint8Array | undefined): string | undefined {
  const at = head === undefined ? -1 : find(head, USER_NAME)
  return head === undefined || at < 0 ? undefined : utf8Lossy(head.subarray(at + 2, at + head[at + 1]))
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const { method, path, status } = summarize(exchange)
  const asked = attributesOf(request)
  const answered = attributesOf(response)
  const shown = request?.head ?? response?.head
  const one = (name: string) => asked[name] ?? answered[name]
  return {
    ...(request === undefined ? {} : { request: half(request, asked, { method, path }) }),
    ...(response === undefined ? {} : { response: half(response, answered, { status }) }),
    own: definedValues({
      code: shown?.[0],
      code_name: shown === undefined ? undefined : codeName(shown[0]),
      response_code: response?.head?.[0],
      id: shown?.[1],
      user: path,
      nas_ip: one('NAS-IP-Address') ?? one('NAS-IPv6-Address'),
      nas_identifier: one('NAS-Identifier'),
      calling_station: one('Calling-Station-Id'),
      called_station: one('Called-Station-Id'),
      session_id: one('Acct-Session-Id'),
      acct_status: one('Acct-Status-Type'),
      framed_ip: answered['Framed-IP-Address'] ?? asked['Framed-IP-Address'],
      reply_message: answered['Reply-Message'],
      error_cause: answered['Error-Cause'],
      request_authenticator: request?.head === undefined ? undefined : hex(request.head.subarray(4, HEADER)),
      request_attributes: Object.keys(asked).length > 0 ? asked : undefined,
      response_attributes: Object.keys(answered).length > 0 ? answered : undefined,
      retransmissions: response?.fields?.retransmissions,
      request: request !== undefined,
      response: response !== undefined,
      request_length: request?.size,
      response_length: response?.size,
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    }),
  }
}

/** By name; a list if an attribute occurs several times. */
function attributesOf(message: Message | undefined): Attributes {
  const attributes = new Map<string, Value[]>()
  const head = message?.head
  if (head === undefined) return {}
  const add = (name: string, value: Value) => {
    const before = attributes.get(name)
    if (before === undefined) attributes.set(name, [value])
    else before.push(value)
  }
  try {
    walk(head, HEADER, head.length, (type, from, to) => {
      const value = head.subarray(from, to)
      if (type !== VENDOR_SPECIFIC) add(attributeName(type), attributeValue(type, value))
      else for (const [name, text] of readVendor(value)) add(name, text)
    })
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return Object.fromEntries([...attributes].map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}

function half(
  message: Message,
  attributes: Attributes,
  values: Readonly<Record<string, unknown>>,
): PresentedMessage {
  const { head } = message
  return definedValues({
    ...values,
    code: head?.[0],
    code_name: head === undefined ? undefined : codeName(head[0]),
    authenticator: head === undefined ? undefined : hex(head.subarray(4, HEADER)),
    attributes,
    truncated: message.truncated,
  })
}
