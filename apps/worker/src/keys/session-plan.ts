import type { FieldPath } from './accessor-path.ts'
import type { FoundSecret, PlannedProbe, ProbePlan, ProbeRecord } from './probe-plan.ts'
import type { ProgramContext } from './secret-programs.ts'
import type { SecretSlots } from './secret-slots.ts'
import { enterProgram, returnProgram, SESSION_RECORD, type SessionFields } from './session-programs.ts'

/** So much of the object is read until the place of its secrets is known. */
const LEARNING_BYTES = 8192
/** Builds whose place is remembered. */
const MAX_BUILDS = 1024
/** Build → offset of the secrets in the object. */
const learned = new Map<string, number>()

export interface SessionLayout {
  readonly source: 'openssl' | 'gnutls'
  /** What the handshake function returns if it succeeded. */
  readonly success: number
  readonly slots: SecretSlots
  /** Offset of the handshake function in the file. */
  readonly handshake: number
  readonly random: FieldPath
  readonly masterKey: FieldPath
  /** The identity of the build, if the file has one. */
  readonly build: string | undefined
}

/**
 * For libraries that export no function that is called with secrets: they are read from the object of the connection when the
 * handshake has ended. Where the secrets of TLS 1.3 are in it is learned from the first such connection, by verification.
 */
export class SessionPlan implements ProbePlan {
  readonly source: SessionLayout['source']
  isChanged = false
  readonly #layout: SessionLayout
  #offset: number | undefined

  constructor(layout: SessionLayout) {
    this.#layout = layout
    this.source = layout.source
    this.#offset = layout.build === undefined ? undefined : learned.get(layout.build)
  }

  probes(context: ProgramContext): PlannedProbe[] {
    this.isChanged = false
    const { handshake: offset, random, masterKey, success, slots } = this.#layout
    const window =
      this.#offset === undefined
        ? { from: 0, bytes: LEARNING_BYTES }
        : { from: this.#offset, bytes: slots.bytes }
    const fields: SessionFields = { success, random, masterKey, window }
    return [
      { offset, isReturn: false, program: enterProgram(context) },
      { offset, isReturn: true, program: returnProgram(context, fields) },
    ]
  }

  secretsOf({ bytes }: ProbeRecord): FoundSecret[] | undefined {
    const random = bytes.subarray(SESSION_RECORD.random, SESSION_RECORD.masterKey)
    if (isZero(random)) return undefined
    const window = bytes.subarray(SESSION_RECORD.window)
    const isWhole = window.length >= LEARNING_BYTES
    const at = isWhole ? (this.#offset ?? this.#learn(window)) : 0
    const secrets = at === undefined ? undefined : this.#layout.slots.at(window, at)
    if (secrets !== undefined) return secrets.map((found) => ({ ...found, random }))
    const secret = bytes.subarray(SESSION_RECORD.masterKey, SESSION_RECORD.window)
    // With TLS 1.2 the session has the master secret.
    return isZero(secret) ? undefined : [{ label: 'CLIENT_RANDOM', random, secret }]
  }

  #learn(object: Buffer): number | undefined {
    const offset = this.#layout.slots.find(object)
    if (offset === undefined) return undefined
    this.#offset = offset
    this.isChanged = true
    const { build } = this.#layout
    if (build !== undefined && learned.size < MAX_BUILDS) learned.set(build, offset)
    return offset
  }
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0)
}
