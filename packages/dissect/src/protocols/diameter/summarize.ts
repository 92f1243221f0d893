import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import { utf8Lossy } from '../../text/text.ts'
import { AvpReader } from './avp.ts'
import { commandName } from './command.ts'
import { uint24 } from './frame.ts'
import { isFailure, resultOf } from './result.ts'

const USER_NAME = 1
const SESSION_ID = 263
const SUBSCRIPTION_ID = 443
const SUBSCRIPTION_ID_DATA = 444

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

export function userOf(head: Uint8Array): string | undefined {
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
