import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSecretHeader, isSecretParameter, isSuspectPair } from './credential-names.ts'

const NAMES =
  'authorization proxy-authorization cookie set-cookie x-api-key api_key apikey token x-auth-token id_token secret client_secret password passwd passphrase pwd pass key sig sign signature x-amz-signature credential jwt otp hmac assertion SAMLResponse code_verifier jsessionid PHPSESSID sid auth x-auth-key session_id session sessid sess_key pw db-pass authentication app_key application-key license_key hdnts customer-encryption-key signing_key'.split(
    ' ',
  )

it.each(NAMES)('%s is looked at, in any case', (name) => {
  for (const written of [name, name.toUpperCase()]) {
    expect(isSecretHeader(written) || isSecretParameter(written)).toBe(true)
    expect(hasSuspectPair(written)).toBe(true)
  }
})

it('a name without a suspect pair is never a secret one', () => {
  const part = fc.constantFrom(...NAMES, 'x', '-', '_', 'a', 'page', '.', '%41')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const name = parts.join('')
      if (isSecretHeader(name) || isSecretParameter(name)) expect(hasSuspectPair(name)).toBe(true)
    }),
  )
})

function hasSuspectPair(name: string): boolean {
  const codes = [...name].map((character) => character.charCodeAt(0))
  return codes.some((code, at) => isSuspectPair(codes[at - 1] ?? 0, code))
}
