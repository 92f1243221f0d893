import assert from 'node:assert/strict'
import type { Call, PresentedMessage } from '../contract/call.ts'
import type { Dissector, Exchange } from '../contract/dissector.ts'
import { type Message, redraft } from '../contract/message.ts'
import { latin1 } from '../text/text.ts'
import type { Fixture } from './fixture.ts'
import type { Observe } from './observation.ts'

const STAR = 0x2a

/**
 * What a protocol reports for redaction lies within its messages, and a message in which all of that is masked is
 * presented with the same parts. Heads with lines of header fields are declared as such.
 */
export function reportsWhatCanBeMasked(
  dissector: Dissector,
  fixtures: readonly Fixture[],
  look: Observe,
): void {
  const calls: Call[] = []
  for (const { events } of fixtures) look(events, { emitted: (call) => calls.push(call) })
  for (const { protocol, request, response } of calls) {
    if (protocol !== dissector.name) continue
    const given: Exchange = { protocol, request, response }
    const masked: Exchange = {
      protocol,
      request: request && maskAll(request, dissector),
      response: response && maskAll(response, dissector),
    }
    dissector.summarize(masked)
    const before = dissector.present(given)
    const after = dissector.present(masked)
    assert.deepEqual(partsOf(after.request), partsOf(before.request), 'parts of a masked request')
    assert.deepEqual(partsOf(after.response), partsOf(before.response), 'parts of a masked response')
    if (dissector.redact?.hasHeaderLines) continue
    for (const [message, shown] of [
      [request, before.request],
      [response, before.response],
    ] as const)
      assert.ok(!hasHeaderLines(message, shown), `${protocol} does not declare its header lines`)
  }
}

function partsOf(shown: PresentedMessage | undefined): string[] | undefined {
  return shown && Object.keys(shown)
}

function maskAll(message: Message, { redact }: Dissector): Message {
  const { head, body } = message
  const draft = redraft(message)
  if (head !== undefined)
    draft.head = masked(head, (report) => redact?.eachJsonInHead?.(head, (start, end) => report(start, end)))
  if (body !== undefined)
    draft.body = masked(body, (report) => {
      redact?.eachJsonInBody?.(body, report)
      redact?.eachValue?.(message, (_, start, end) => report(start, end))
    })
  return draft
}

function masked(bytes: Uint8Array, each: (report: (start: number, end: number) => void) => void): Uint8Array {
  const copy = bytes.slice()
  each((start, end) => {
    assert.ok(start >= 0 && start <= end && end <= bytes.length, `a range from ${start} to ${end}`)
    copy.fill(STAR, start, end)
  })
  return copy
}

/** Whether the head has a line for each header that is shown. */
function hasHeaderLines(message: Message | undefined, shown: PresentedMessage | undefined): boolean {
  const names = Object.keys(shown?.headers ?? {})
  if (message?.head === undefined || names.length === 0) return false
  const lines = latin1(message.head).toLowerCase().split(/\r?\n/)
  return names.every((name) => lines.some((line) => line.startsWith(`${name.toLowerCase()}:`)))
}
