import { cipherSpec } from './cipher-spec.ts'
import { type CipherEpoch, DirectionDecryptor } from './direction-decryptor.ts'
import type { ConnectionSecrets } from './key-store.ts'
import type { OpenedRecord } from './record-cipher.ts'
import { tls12Ciphers } from './tls12-cipher.ts'
import { Tls13Cipher } from './tls13-cipher.ts'

/** What the hello messages of a connection say. */
export interface Handshake {
  /** As on the wire: 0x0303 is TLS 1.2, 0x0304 is TLS 1.3. */
  readonly version: number
  /** IANA name of the cipher suite that the server chose. */
  readonly suite: string
  readonly clientRandom: Uint8Array
  readonly serverRandom: Uint8Array
  readonly encryptThenMac: boolean
}

/** Why the records of a connection cannot be opened. */
export type ClosedReason =
  | 'no_key'
  | 'unsupported_version'
  | 'unsupported_suite'
  | 'handshake_not_recorded'
  | 'wrong_key'
  | 'renegotiated'

export const TLS_1_2 = 0x0303
export const TLS_1_3 = 0x0304

/** Opens the records of both directions of one connection. */
export class ConnectionDecryptor {
  readonly #directions: readonly [DirectionDecryptor, DirectionDecryptor]

  private constructor(client: readonly CipherEpoch[], server: readonly CipherEpoch[]) {
    this.#directions = [new DirectionDecryptor(client), new DirectionDecryptor(server)]
  }

  /** The decryptor of a connection, or the reason why there is none. */
  static create(
    handshake: Handshake,
    secrets: ConnectionSecrets | undefined,
  ): ConnectionDecryptor | ClosedReason {
    const { version, suite } = handshake
    if (version !== TLS_1_2 && version !== TLS_1_3) return 'unsupported_version'
    const spec = cipherSpec(suite)
    if (spec === undefined) return 'unsupported_suite'
    if (secrets === undefined) return 'no_key'
    if (version === TLS_1_2) {
      const master = secrets.CLIENT_RANDOM
      if (master === undefined) return 'no_key'
      const [client, server] = tls12Ciphers({ ...handshake, spec, master })
      return new ConnectionDecryptor([{ cipher: client }], [{ cipher: server }])
    }
    const epochs = (...secretsInOrder: readonly (Uint8Array | undefined)[]): CipherEpoch[] =>
      secretsInOrder.flatMap((secret) =>
        secret === undefined ? [] : [epochOf(new Tls13Cipher(spec, secret))],
      )
    const client = epochs(
      secrets.CLIENT_EARLY_TRAFFIC_SECRET,
      secrets.CLIENT_HANDSHAKE_TRAFFIC_SECRET,
      secrets.CLIENT_TRAFFIC_SECRET_0,
    )
    const server = epochs(secrets.SERVER_HANDSHAKE_TRAFFIC_SECRET, secrets.SERVER_TRAFFIC_SECRET_0)
    if (client.length === 0 && server.length === 0) return 'no_key'
    return new ConnectionDecryptor(client, server)
  }

  /** Opens a record of the client (0) or the server (1), header included. */
  open(side: 0 | 1, record: Uint8Array): OpenedRecord | undefined {
    return this.#directions[side].open(record)
  }

  /** Bytes of that side were lost, and with them this number of records; an unknown number by default. */
  lost(side: 0 | 1, records?: number): void {
    this.#directions[side].lost(records)
  }

  /** Whether that side is not tried any more, because its records cannot be opened. */
  gaveUp(side: 0 | 1): boolean {
    return this.#directions[side].gaveUp
  }

  get openedRecords(): number {
    return this.#directions[0].opened + this.#directions[1].opened
  }
}

function epochOf(cipher: Tls13Cipher): CipherEpoch {
  return { cipher, next: () => epochOf(cipher.next()) }
}
