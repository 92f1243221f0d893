import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { utf8Lossy } from '../../text/text.ts'
import { AvpReader } from './avp.ts'
import { applicationName, commandName, commandTitle } from './command.ts'
import { FLAG, uint24, uint32 } from './frame.ts'
import { isFailure, resultOf } from './result.ts'
import { readAvps, type Values } from './value.ts'

const USER_NAME = 1
const SESSION_ID = 263
const SUBSCRIPTION_ID = 443
const SUBSCRIPTION_ID_DATA = 444
const FLAGS = Object.entries(FLAG)

export function summarize({ request, response }: Exchange): Summary {
  const summary: { -readonly [K in keyof Summary]: Summary[K] } = {}
  const head = request?.head ?? response?.head
  if (head === undefined) return summary
  const command = uint24(head, 5)
  summary.method = commandName(command, true) ?? String(command)
  const path = subjectOf(head) ?? (response?.head === undefined ? undefined : subjectOf(response.head))
  if (path !== undefined && path !== '') summary.path = path
  const result = response?.head === undefined ? undefined : resultOf(response.head)
  if (result !== undefined) {
    summary.status = result.name
    if (isFailure(result)) summary.failure = String(result.name)
  }
  return summary
}

/** The user, else the session. */
function subjectOf(head: Uint8Array): string | undefined {
  return userOf(head) ?? textOf(head, SESSION_ID)
}

function userOf(head: Uint8Array): string | undefined {
  const name = textOf(head, USER_NAME)
  if (name !== undefined) return name
  const avps = new AvpReader(head)
  if (!avps.find(SUBSCRIPTION_ID)) return undefined
  const subscription = avps.inside()
  return subscription.find(SUBSCRIPTION_ID_DATA) ? utf8Lossy(subscription.content()) : undefined
}

function textOf(head: Uint8Array, code: number): string | undefined {
  const avps = new AvpReader(head)
  return avps.find(code) ? utf8Lossy(avps.content()) : undefined
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const head = request?.head ?? response?.head
  if (head === undefined) return {}
  const { method, path, status } = summarize(exchange)
  const asked = avpsOf(request)
  const answered = avpsOf(response)
  const result = response?.head === undefined ? undefined : resultOf(response.head)
  const title = commandTitle(uint24(head, 5))
  const application = applicationName(uint32(head, 8))
  return {
    ...(request === undefined ? {} : { request: half(request, asked, { method, path }) }),
    ...(response === undefined ? {} : { response: half(response, answered, { status }) }),
    own: definedValues({
      method,
      summary: [title ?? method, path, status].filter((word) => word !== undefined).join(' '),
      command: title,
      command_code: uint24(head, 5),
      application,
      application_id: uint32(head, 8),
      hop_by_hop: uint32(head, 12),
      end_to_end: uint32(head, 16),
      session_id: asked['Session-Id'] ?? answered['Session-Id'],
      user: userOf(head),
      origin_host: asked['Origin-Host'],
      origin_realm: asked['Origin-Realm'],
      destination_host: asked['Destination-Host'],
      destination_realm: asked['Destination-Realm'],
      answered_by: answered['Origin-Host'],
      result: result === undefined ? undefined : String(result.name),
      result_code: result?.code,
      result_vendor: result?.vendor,
      error_message: answered['Error-Message'],
      request: request !== undefined,
      response: response !== undefined,
      request_length: request?.size,
      response_length: response?.size,
      total_size: (request?.size ?? 0) + (response?.size ?? 0),
    }),
  }
}

function avpsOf(message: Message | undefined): Values {
  return message?.head === undefined ? {} : readAvps(new AvpReader(message.head))
}

function half(message: Message, avps: Values, values: Readonly<Record<string, unknown>>): PresentedMessage {
  const flags = message.head?.[4] ?? 0
  return definedValues({
    ...values,
    flags: FLAGS.filter(([, bit]) => flags & bit).map(([name]) => name),
    avps,
    truncated: message.truncated,
  })
}
