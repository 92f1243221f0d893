import { Malformed } from '@tapdeck/wire'
import { BerReader } from './ber.ts'

export const SEQUENCE = 0x30
export const INTEGER = 0x02
export const OCTETS = 0x04
export const ENUMERATED = 0x0a
const CONTROLS = 0xa0

/** An LDAPMessage, opened: RFC 4511 §4.1.1. */
export interface Envelope {
  readonly id: number
  /** Tag of the operation. */
  readonly tag: number
  /** Positioned on the operation: `op.content()` is it, `op.inside()` its elements. */
  readonly op: BerReader
}

/** Opens the message at `start`, of which the bytes up to `held` are there. */
export function openEnvelope(bytes: Uint8Array, start: number, held: number): Envelope {
  const outer = new BerReader(bytes, start, Number.MAX_SAFE_INTEGER, held)
  if (!outer.take(SEQUENCE)) throw new Malformed('no LDAP message')
  const op = outer.inside()
  if (!op.take(INTEGER)) throw new Malformed('no message id')
  const id = op.number()
  if (id < 0) throw new Malformed('negative message id')
  if (!op.next()) throw new Malformed('no operation')
  return { id, tag: op.tag, op }
}

export interface Control {
  readonly oid: string
  readonly critical: boolean
}

/** The controls that follow the operation: RFC 4511 §4.1.11. */
export function readControls({ op }: Envelope): Control[] {
  const all = new BerReader(op.bytes, op.to, op.end, op.held)
  const controls: Control[] = []
  if (!all.take(CONTROLS)) return controls
  const list = all.inside()
  while (list.take(SEQUENCE)) {
    const control = list.inside()
    if (control.take(OCTETS))
      controls.push({ oid: control.text(), critical: control.take(0x01) && control.boolean() })
  }
  return controls
}
