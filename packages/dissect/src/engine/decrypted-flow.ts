import type { TlsSession } from '../contract/call.ts'
import type { EngineContext, PlaintextFlow, PlaintextParent } from './engine-context.ts'
import { FollowedFlow } from './followed-flow.ts'

/** The plaintext of an encrypted flow. The encrypted flow already is a call, so plaintext that no protocol reads is not one. */
export class DecryptedFlow extends FollowedFlow implements PlaintextFlow {
  readonly #parent: PlaintextParent
  readonly #session: () => TlsSession

  constructor(parent: PlaintextParent, session: () => TlsSession, engine: EngineContext) {
    super(parent.flow, engine)
    this.#parent = parent
    this.#session = session
    // A protocol that asked for encryption goes on inside of it.
    const { protocol } = parent.context ?? {}
    const dissector = typeof protocol === 'string' ? engine.candidates.named(protocol) : undefined
    if (dissector !== undefined) this.open(dissector, { resumed: true })
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
