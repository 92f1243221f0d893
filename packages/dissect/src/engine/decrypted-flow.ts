import type { TlsSession } from '../contract/call.ts'
import type { EngineContext, PlaintextFlow, PlaintextParent } from './engine-context.ts'
import { FollowedFlow } from './followed-flow.ts'

/** The plaintext of an encrypted flow. The encrypted flow already is a call, so plaintext that no protocol reads is not one. */
export class DecryptedFlow extends FollowedFlow implements PlaintextFlow {
  readonly #parent: PlaintextParent
  readonly #session: () => TlsSession

  /** `protocol` reads the plaintext; default: it is detected. */
  constructor(parent: PlaintextParent, session: () => TlsSession, engine: EngineContext, protocol?: string) {
    super(parent.flow, engine)
    this.#parent = parent
    this.#session = session
    // A protocol that asked for encryption goes on inside of it.
    const name = protocol ?? parent.context?.protocol
    const dissector = typeof name === 'string' ? engine.candidates.named(name) : undefined
    if (dissector !== undefined) this.open(dissector, { resumed: protocol === undefined })
  }

  override takeOrdinal(): number {
    super.takeOrdinal()
    return this.#parent.takeOrdinal()
  }

  protected override session(): TlsSession {
    return this.#session()
  }

  protected override emitUnrecognised(): void {}
}
