import { describe, expect, it } from 'vitest'
import { latin1 } from '../../text/text.ts'
import { hideSecrets } from './secrets.ts'

/** A BER element of a text or of others. */
function element(tag: number, ...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Uint8Array.of(tag, content.length, ...content)
}

const message = (op: Uint8Array) => element(0x30, element(2, '\x01'), op)
const attribute = (name: string, value: string) =>
  element(0x30, element(4, name), element(0x31, element(4, value)))

function kept(op: Uint8Array, cut = 0): string {
  const bytes = message(op).slice(0, cut === 0 ? undefined : -cut)
  hideSecrets(bytes)
  return latin1(bytes)
}

describe('what is kept of an LDAP message', () => {
  it('has no password of a bind', () => {
    const text = kept(element(0x60, element(2, '\x03'), element(4, 'cn=a'), element(0x80, 'hush')))
    expect(text).toContain('cn=a')
    expect(text).not.toContain('hush')
  })

  it('has no part of a password that was cut', () => {
    expect(
      kept(element(0x60, element(2, '\x03'), element(4, 'cn=a'), element(0x80, 'hush')), 2),
    ).not.toContain('hu')
  })

  it('has the mechanism of SASL, and no credentials', () => {
    const text = kept(
      element(0x60, element(2, '\x03'), element(4), element(0xa3, element(4, 'PLAIN'), element(4, 'hush'))),
    )
    expect(text).toContain('PLAIN')
    expect(text).not.toContain('hush')
  })

  it('has no values of attributes that hold passwords', () => {
    const attributes = element(0x30, attribute('cn', 'shown'), attribute('userPassword', 'hush'))
    const text = kept(element(0x68, element(4, 'cn=a'), attributes))
    expect(text).toContain('shown')
    expect(text).not.toContain('hush')
    const change = element(0x30, element(0x0a, '\x02'), attribute('unicodePwd', 'hush'))
    expect(kept(element(0x66, element(4, 'cn=a'), element(0x30, change)))).not.toContain('hush')
    const assertion = element(0x30, element(4, 'userPassword'), element(4, 'hush'))
    expect(kept(element(0x6e, element(4, 'cn=a'), assertion))).not.toContain('hush')
  })

  it('has no new password', () => {
    const text = kept(
      element(
        0x77,
        element(0x80, '1.3.6.1.4.1.4203.1.11.1'),
        element(0x81, element(0x30, element(0x82, 'hush'))),
      ),
    )
    expect(text).not.toContain('hush')
  })
})
