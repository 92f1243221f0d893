import { Problem } from '@tapdeck/api'
import { protocols } from '@tapdeck/dissect'
import { nearestNames } from '../nearest-names.ts'

/** Throws 400 with those that come close where there is no such protocol. */
export function requireKnownProtocol(name: string): void {
  if (Object.hasOwn(protocols, name)) return
  const close = nearestNames(name, Object.keys(protocols))
  throw new Problem(400, 'invalid_input', `protocols: unknown protocol "${name}"`, {
    hint: `Similar protocols: ${close.join(', ')}`,
  })
}
