import type { Connection, Frame } from '../../contract/dissector.ts'
import { Body } from '../../message/body.ts'
import { hideSecrets } from './secrets.ts'

/** What has come of an answer in several messages: entries, references, intermediate responses. */
export class Search {
  /** Its request was seen. */
  readonly asked: boolean
  entries = 0
  references = 0
  /** Some of it may have been lost. */
  hasHole = false
  size = 0
  start: number | undefined
  readonly #connection: Connection
  readonly #body: Body

  constructor(connection: Connection, asked: boolean) {
    this.asked = asked
    this.#connection = connection
    this.#body = new Body(connection)
  }

  get begun(): boolean {
    return this.start !== undefined
  }

  add({ bytes, start, end, length, time }: Frame): void {
    this.start ??= time
    this.size += length
    const room = Math.min(end - start, this.#body.room)
    if (room === 0) {
      this.#body.append(bytes, start, start, length)
      return
    }
    const part = this.#connection.copy(bytes, start, start + room)
    hideSecrets(part)
    this.#body.append(part, 0, room, length)
  }

  /** Hands out the messages that were kept, one after the other. */
  take(): { readonly body?: Uint8Array; readonly bodySize?: number; readonly truncated?: true } {
    const { size, truncated } = this.#body
    const body = this.#body.take()
    return {
      ...(body === undefined ? {} : { body }),
      ...(size > (body?.length ?? 0) ? { bodySize: size } : {}),
      ...(truncated || this.hasHole ? { truncated: true } : {}),
    }
  }

  drop(): void {
    this.#body.drop()
  }
}
