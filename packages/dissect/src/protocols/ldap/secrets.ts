import { Malformed } from '@tapdeck/wire'
import { latin1 } from '../../text/text.ts'
import type { BerReader } from './ber.ts'
import { ENUMERATED, INTEGER, OCTETS, openEnvelope, SEQUENCE } from './envelope.ts'
import { OP, PASSWORD_MODIFY } from './operation.ts'

const STAR = 0x2a
const SET = 0x31
const SECRET =
  /^(userpassword|unicodepwd|clearpassword|pwdhistory|samba(nt|lm)password|krbprincipalkey)(;|$)/i

/**
 * Overwrites secrets before they are kept: credentials of a bind, new passwords, and the values of
 * attributes that hold passwords. `message` is a copy of our own, and may be cut.
 */
export function hideSecrets(message: Uint8Array): void {
  try {
    const { tag, op } = openEnvelope(message, 0, message.length)
    hideIn(tag, op.inside())
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}

function hideIn(tag: number, op: BerReader): void {
  switch (tag) {
    case OP.bindRequest:
      if (op.take(INTEGER) && op.take(OCTETS) && op.next()) hideCredentials(op)
      return
    case OP.bindResponse:
      while (op.next()) if (op.tag === 0x87) hide(op)
      return
    case OP.extendedReq:
      if (op.take(0x80) && op.text() === PASSWORD_MODIFY && op.take(0x81)) hide(op)
      return
    case OP.extendedResp:
      // The answer to a change of password may hold the new one, and does not say what it answers.
      while (op.next()) if (op.tag === 0x8b && op.content()[0] === SEQUENCE) hide(op)
      return
    case OP.addRequest:
    case OP.searchResEntry:
      if (op.take(OCTETS) && op.take(SEQUENCE)) hideAttributes(op.inside())
      return
    case OP.modifyRequest:
      if (op.take(OCTETS) && op.take(SEQUENCE)) hideChanges(op.inside())
      return
    case OP.compareRequest:
      if (op.take(OCTETS) && op.take(SEQUENCE)) hideAssertion(op.inside())
  }
}

/** Of SASL the mechanism may be seen: RFC 4511 §4.2. */
function hideCredentials(choice: BerReader): void {
  if (choice.tag !== 0xa3) {
    hide(choice)
    return
  }
  const sasl = choice.inside()
  if (sasl.take(OCTETS) && sasl.take(OCTETS)) hide(sasl)
}

function hideChanges(changes: BerReader): void {
  while (changes.take(SEQUENCE)) {
    const change = changes.inside()
    if (change.take(ENUMERATED)) hideAttributes(change)
  }
}

function hideAttributes(attributes: BerReader): void {
  while (attributes.take(SEQUENCE)) {
    const attribute = attributes.inside()
    if (!attribute.take(OCTETS) || !isSecret(attribute) || !attribute.take(SET)) continue
    const values = attribute.inside()
    while (values.take(OCTETS)) hide(values)
  }
}

function hideAssertion(assertion: BerReader): void {
  if (assertion.take(OCTETS) && isSecret(assertion) && assertion.take(OCTETS)) hide(assertion)
}

function isSecret({ bytes, from, to, held }: BerReader): boolean {
  return to <= held && to - from < 64 && SECRET.test(latin1(bytes, from, to))
}

function hide({ bytes, from, to, held }: BerReader): void {
  bytes.fill(STAR, from, Math.min(to, held))
}
