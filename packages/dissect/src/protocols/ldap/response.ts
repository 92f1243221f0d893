import { Malformed } from '@tapdeck/wire'
import { BerReader } from './ber.ts'
import { ENUMERATED, type Envelope, OCTETS, openEnvelope, SEQUENCE } from './envelope.ts'
import { resultName } from './names.ts'
import { OP } from './operation.ts'
import { readAttributes, texts } from './request.ts'

/** Result code of a response; -1 where it has none. */
export function resultCode({ tag, op }: Envelope): number {
  if (tag === OP.searchResEntry || tag === OP.searchResRef || tag === OP.intermediateResponse) return -1
  const result = op.inside()
  return result.take(ENUMERATED) ? result.number() : -1
}

/** What an LDAPResult says: RFC 4511 §4.1.9. */
export function readResult({ op }: Envelope): Record<string, unknown> {
  const result = op.inside()
  if (!result.take(ENUMERATED)) return {}
  const code = result.number()
  const shown: Record<string, unknown> = { result: resultName(code), result_code: code }
  if (result.take(OCTETS) && result.to > result.from) shown.matched_dn = result.text()
  if (result.take(OCTETS) && result.to > result.from) shown.message = result.text()
  if (result.take(0xa3)) shown.referrals = texts(result.inside())
  while (result.next()) if (result.tag === 0x8a) shown.oid = result.text()
  return shown
}

/** What came before the last message of a search: as many entries as were kept. */
export function readParts(body: Uint8Array): { entries: unknown[]; references: string[] } {
  const entries: unknown[] = []
  const references: string[] = []
  try {
    for (let at = 0; at < body.length; ) {
      const outer = new BerReader(body, at, Number.MAX_SAFE_INTEGER, body.length)
      if (!outer.take(SEQUENCE)) break
      const { tag, op } = openEnvelope(body, at, body.length)
      const inside = op.inside()
      if (tag === OP.searchResRef) references.push(...texts(inside))
      else if (tag === OP.searchResEntry && inside.take(OCTETS)) {
        const dn = inside.text()
        entries.push({ dn, attributes: inside.take(SEQUENCE) ? readAttributes(inside.inside()) : {} })
      }
      at = outer.to
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return { entries, references }
}
