import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { issueCertificate } from '@tapdeck/tls'
import { z } from 'zod'

const stored = z.object({
  authorities: z
    .array(
      z.object({
        subject: z.string(),
        cert: z.string(),
        key: z.string(),
        created_at: z.iso.datetime(),
        /** When workers could first read it; null: not yet. */
        published_at: z.iso.datetime().nullable(),
        expires_at: z.iso.datetime(),
      }),
    )
    .max(64),
})

/** An authority that signs the certificates of the workers' port. */
export type LinkAuthority = z.output<typeof stored>['authorities'][number]

const DAY_MS = 86_400_000
/** Workers trust at most so many at once. */
const MAX_AUTHORITIES = 8

/** Throws if the text is not a list of authorities. */
export function parseAuthorities(text: string): readonly LinkAuthority[] {
  return stored.parse(JSON.parse(text)).authorities
}

/** A new authority in front where the newest is too old; without those that have expired. */
export function rotate(
  authorities: readonly LinkAuthority[],
  rotateAfterMs: number,
  now: number,
): readonly LinkAuthority[] {
  const valid = authorities.filter(({ expires_at }) => Date.parse(expires_at) > now)
  const [newest] = valid
  const isDue = newest === undefined || now - Date.parse(newest.created_at) >= rotateAfterMs
  const all = isDue ? [createAuthority(rotateAfterMs, now), ...valid].slice(0, MAX_AUTHORITIES) : valid
  return all.length === authorities.length && !isDue ? authorities : all
}

/** The authority that signs now: the newest one that workers have had enough time to learn of. */
export function signingAuthority(
  authorities: readonly LinkAuthority[],
  rotateAfterMs: number,
  now: number,
): LinkAuthority {
  const overlap = Math.min(DAY_MS, rotateAfterMs / 4)
  const known = authorities.find(
    ({ published_at }) => published_at !== null && Date.parse(published_at) + overlap <= now,
  )
  return known ?? authorities.at(-1)!
}

function createAuthority(rotateAfterMs: number, now: number): LinkAuthority {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = `Tapdeck link ${randomBytes(4).toString('hex')}`
  const notAfter = now + 3 * Math.max(rotateAfterMs, DAY_MS)
  const cert = issueCertificate({
    ...{ kind: 'authority', subject, key, serial: serialNumber() },
    // Clocks of nodes may differ.
    notBefore: now - DAY_MS,
    notAfter,
  })
  return {
    subject,
    cert,
    key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    created_at: new Date(now).toISOString(),
    published_at: null,
    expires_at: new Date(notAfter).toISOString(),
  }
}

/** Positive, and as long as RFC 5280 allows for (section 4.1.2.2). */
export function serialNumber(): Uint8Array {
  const bytes = randomBytes(20)
  bytes[0] = (bytes[0]! & 0x7f) | 1
  return bytes
}
