import { type Message, protocolNamed, redraft } from '@tapdeck/dissect'

const ENCODING = /^content-encoding[ \t]*:[ \t]*([^\r\n]*)$/im

/**
 * A message whose body can be looked into: one that was compressed is unpacked, and says so in its head. What cannot be
 * unpacked cannot be searched either: it goes.
 */
export function unpackBody(given: Message): Message {
  const { head, body } = given
  if (head === undefined || body === undefined) return given
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1')
  const found = ENCODING.exec(text)
  if (found === null || /^\s*identity\s*$/i.test(found[1]!)) return given
  const message = redraft(given)
  const presented = protocolNamed('http')?.present({
    protocol: 'http',
    response: { ...message, kind: 'response' },
  })
  const shown = presented?.response
  const plain = text.replace(ENCODING, `x-tapdeck-unpacked: ${found[1]!.trim()}`)
  const rest = { ...message, head: Buffer.from(plain, 'latin1'), bodySize: message.bodySize ?? body.length }
  if (shown?.body === undefined || shown.body_decoded === false) {
    const { body: _, ...without } = rest
    return without
  }
  return { ...rest, body: Buffer.from(shown.body, shown.body_encoding === 'base64' ? 'base64' : 'utf8') }
}
