import { Malformed, type Side } from '@tapdeck/wire'
import type { Summary } from '../contract/call.ts'
import type { Conversation, Dissector, Exchange, Frame, Presentation } from '../contract/dissector.ts'
import type { Handoff, Message } from '../contract/message.ts'
import { latin1 } from '../text/text.ts'

const LF = 0x0a

/**
 * A line protocol to test the engine. After `toy `, `? text` is a request, `= text` a response, `! text` an event;
 * `?7 text` and `=7 text` are paired by key; `?+ text` and `=+ text` have more parts; `> name` hands over; `x` is
 * malformed; `throw` throws.
 */
export const toy = {
  name: 'toy',
  title: 'Toy',
  transports: ['tcp', 'udp'],
  ports: [7777],
  fields: {
    toy_text: { type: 'string', path: 'toy.text', doc: 'What was asked', example: 'toy_text == "time"' },
  },
  probe: (bytes, start, end, side) => {
    const text = latin1(bytes, start, Math.min(end, start + 5))
    if (text.length < 5) return 'toy '.startsWith(text.slice(0, 4)) ? 'more' : 'no'
    if (!text.startsWith('toy ')) return 'no'
    return text[4] === '?'
      ? side === 0
        ? 'yes'
        : 'no'
      : text[4] === '='
        ? side === 1
          ? 'yes'
          : 'no'
        : 'yes'
  },
  open: () => new ToyConversation(),
  summarize,
  present: ({ request, response }: Exchange): Presentation => ({
    ...(request === undefined ? {} : { request: { body: textOf(request) } }),
    ...(response === undefined ? {} : { response: { body: textOf(response) } }),
    ...(request === undefined ? {} : { own: { text: textOf(request) } }),
  }),
} as const satisfies Dissector

function summarize({ request, response }: Exchange): Summary {
  return {
    ...(request === undefined ? {} : { path: textOf(request) }),
    ...(response === undefined ? {} : { status: textOf(response) }),
  }
}

function textOf({ body }: Message): string {
  return body === undefined ? '' : latin1(body)
}

/** The same without `resync`: it cannot continue after a gap. */
export const brittleToy: Dissector = {
  ...toy,
  open: () => {
    const whole = new ToyConversation()
    return {
      frame: (bytes, start, end) => whole.frame(bytes, start, end),
      decode: (frame) => whole.decode(frame),
    }
  },
}

class ToyConversation implements Conversation {
  frame(bytes: Uint8Array, start: number, end: number): number {
    for (let at = start; at < end; at++) if (bytes[at] === LF) return at + 1 - start
    return 0
  }

  decode({ bytes, start, end, length }: Frame): Message | Handoff | undefined {
    const line = latin1(bytes, start, end).trimEnd()
    const [, mark, option, text] = /^toy ([?=!>x]|throw)([\d+]*) ?(.*)$/.exec(line) ?? []
    if (mark === 'throw') throw new TypeError('a mistake')
    if (mark === undefined || mark === 'x') throw new Malformed('no toy line')
    if (mark === '>') return { kind: 'handoff', to: text }
    return {
      kind: mark === '?' ? 'request' : mark === '=' ? 'response' : 'event',
      body: new TextEncoder().encode(text),
      ...(option !== '' && option !== '+' ? { key: Number(option) } : {}),
      ...(option === '+' ? { more: true } : {}),
      ...(length > end - start ? { truncated: true } : {}),
    }
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const at = latin1(bytes, start, end).indexOf(side === 0 ? 'toy ?' : 'toy =')
    return at < 0 ? -1 : start + at
  }
}
