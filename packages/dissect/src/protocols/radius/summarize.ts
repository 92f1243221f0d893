import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import { utf8Lossy } from '../../text/text.ts'
import { codeName, find, isFailure, USER_NAME } from './packet.ts'

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
