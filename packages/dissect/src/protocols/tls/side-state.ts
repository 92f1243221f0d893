import type { Connection } from '../../contract/dissector.ts'
import { HandshakeMessages, type OnMessage } from './handshake-messages.ts'

/** One side of a handshake. */
export class SideState {
  /** Type of the record that was measured last. */
  recordType = 0
  /** It has begun to encrypt: of TLS up to 1.2 by ChangeCipherSpec, of TLS 1.3 by its first secret record. */
  changed = false
  secret = false
  /** Bytes of its records were lost. */
  lost = false
  finished = false
  /** It does not speak TLS at all. */
  foreign = false
  /** Time of its first record, and bytes of all. */
  start = -1
  size = 0
  #messages: HandshakeMessages | undefined

  messages(connection: Connection, onMessage: OnMessage): HandshakeMessages {
    this.#messages ??= new HandshakeMessages(connection, onMessage)
    return this.#messages
  }

  lose(): void {
    this.lost = true
    this.#messages?.lose()
  }

  end(): void {
    this.#messages?.end()
    this.#messages = undefined
  }
}
