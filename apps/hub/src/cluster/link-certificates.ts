import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { parseIp } from '@tapdeck/ip'
import { issueCertificate } from '@tapdeck/tls'
import type { Log } from '../log.ts'
import {
  type LinkAuthority,
  parseAuthorities,
  rotate,
  serialNumber,
  signingAuthority,
} from './link-authorities.ts'

/** Where the authorities are stored, with their private keys. */
export interface AuthorityStore {
  /** For messages. */
  readonly address: string
  read(): Promise<string | undefined>
  write(text: string): Promise<void>
}

export interface LinkCertificatesOptions {
  readonly store: AuthorityStore
  /** Makes the certificates of all authorities (PEM) known to workers. */
  readonly publish: (bundle: string) => Promise<void>
  /** DNS names and addresses of the port. */
  readonly names: readonly string[]
  readonly rotateAfterMs: number
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface CertificateAndKey {
  readonly cert: string
  readonly key: string
}

const DAY_MS = 86_400_000
const MAX_RENEW_MS = 60_000
/** The published certificates are compared so often, in case that they were changed or deleted. */
const PUBLISH_AGAIN_MS = 3_600_000

/**
 * The certificate of the workers' port, signed by an authority of the hub's own. A new authority is published before it signs anything,
 * and the earlier ones stay published, so that no worker loses its connection or fails to connect.
 */
export class LinkCertificates {
  readonly #options: LinkCertificatesOptions
  readonly #users: ((files: CertificateAndKey) => void)[] = []
  #authorities: readonly LinkAuthority[]
  #server: (CertificateAndKey & { readonly signedBy: string; readonly issuedAt: number }) | undefined
  #published: { readonly bundle: string; readonly at: number } | undefined
  #lastFailure = ''
  #renewing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor(options: LinkCertificatesOptions, authorities: readonly LinkAuthority[]) {
    this.#options = options
    this.#authorities = authorities
  }

  /** Reads the authorities, or makes the first one. Throws if they cannot be read or stored. */
  static async open(options: LinkCertificatesOptions): Promise<LinkCertificates> {
    const certificates = new LinkCertificates(options, await load(options.store))
    if (certificates.#authorities.length === 0) await certificates.#rotate()
    await certificates.renew()
    const every = Math.min(MAX_RENEW_MS, options.rotateAfterMs / 60)
    certificates.#timer = setInterval(() => void certificates.renew(), every).unref()
    return certificates
  }

  /** What workers trust: the certificates of all authorities in PEM, newest first. */
  get bundle(): string {
    return this.#authorities.map(({ cert }) => cert).join('')
  }

  read(): CertificateAndKey {
    return this.#server!
  }

  /** Passes each new certificate of the server on. */
  watch(use: (files: CertificateAndKey) => void): void {
    this.#users.push(use)
  }

  /** Does what is due: a new authority, its publication, a new certificate of the server. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
  }

  async #renew(): Promise<void> {
    try {
      await this.#rotate()
      await this.#publish()
      this.#lastFailure = ''
    } catch (error) {
      const detail = (error as Error).message
      if (detail !== this.#lastFailure)
        this.#options.log.error({ detail }, 'cannot renew what workers trust; the present certificates stay')
      this.#lastFailure = detail
    }
    this.#issue()
  }

  async #rotate(): Promise<void> {
    const { rotateAfterMs, now, log } = this.#options
    const rotated = rotate(this.#authorities, rotateAfterMs, now())
    if (rotated === this.#authorities) return
    await this.#store(rotated)
    log.info({ authority: rotated[0]?.subject }, 'made an authority for the port of the workers')
  }

  async #publish(): Promise<void> {
    const { publish, now } = this.#options
    const { bundle } = this
    const at = now()
    if (this.#published?.bundle === bundle && at - this.#published.at < PUBLISH_AGAIN_MS) return
    await publish(bundle)
    this.#published = { bundle, at }
    if (this.#authorities.every(({ published_at }) => published_at !== null)) return
    const published_at = new Date(at).toISOString()
    await this.#store(
      this.#authorities.map((one) => ({ ...one, published_at: one.published_at ?? published_at })),
    )
  }

  async #store(authorities: readonly LinkAuthority[]): Promise<void> {
    await this.#options.store.write(JSON.stringify({ authorities }, null, 2))
    this.#authorities = authorities
  }

  #issue(): void {
    const { names, rotateAfterMs, now } = this.#options
    const at = now()
    const { subject, key, expires_at } = signingAuthority(this.#authorities, rotateAfterMs, at)
    const current = this.#server
    if (current?.signedBy === subject && at - current.issuedAt < DAY_MS) return
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const all = [...new Set([...names, 'localhost', '127.0.0.1'])]
    const cert = issueCertificate({
      kind: 'server',
      subject: 'Tapdeck hub',
      key: privateKey,
      issuer: { subject, key: createPrivateKey(key) },
      serial: serialNumber(),
      notBefore: at - DAY_MS,
      notAfter: Math.min(at + 30 * DAY_MS, Date.parse(expires_at)),
      names: all.filter((name) => parseIp(name) === undefined),
      addresses: all.map(parseIp).filter((address) => address !== undefined),
    })
    const text = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    this.#server = { cert, key: text, signedBy: subject, issuedAt: at }
    for (const use of this.#users) use(this.#server)
  }
}

async function load(store: AuthorityStore): Promise<readonly LinkAuthority[]> {
  try {
    const text = await store.read()
    return text === undefined ? [] : parseAuthorities(text)
  } catch (error) {
    throw new Error(
      `cannot read the authority of the workers' port (${store.address}): ${(error as Error).message.slice(0, 500)}. Restore it, or delete it to begin with a new one.`,
      { cause: error },
    )
  }
}
