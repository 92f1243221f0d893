import { describe, expect, it } from 'vitest'
import { probe } from './probe.ts'

const BIND = '300c020101600702010304008000'
const BOUND = '300c02010161070a010004000400'

function ask(hex: string, side: 0 | 1) {
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'))
  return probe(bytes, 0, bytes.length, side)
}

describe('the probe of LDAP', () => {
  it('knows a request from a response', () => {
    expect([ask(BIND, 0), ask(BIND, 1), ask(BOUND, 0), ask(BOUND, 1)]).toEqual(['yes', 'no', 'no', 'yes'])
  })

  it('waits for as much as it takes to be sure', () => {
    for (let length = 0; length < 20; length += 2) expect(ask(BIND.slice(0, length), 0)).toBe('more')
  })

  it('takes no other protocol of ASN.1 for its own', () => {
    // SNMP v2c: a version where the message id would be, then the community.
    expect(ask('302602010104067075626c6963a019020400000001020100020100300b300906052b060102010500', 0)).toBe(
      'no',
    )
    // A certificate.
    expect(ask('308201003081a9a003020102020100300a', 0)).toBe('no')
  })

  it('refuses an operation that is longer than its message', () => {
    expect(ask('300c020101600802010304008000', 0)).toBe('no')
  })
})
