import type { ProgressListener } from '../operations/progress.ts'

interface ProgressParams {
  readonly progress: number
  readonly total: number
  readonly message: string
}

/** Clients end a request that says nothing for a minute; a long step reports that it goes on. */
const HEARTBEAT_MS = 10_000
/** The protocol wants each report to be higher than the one before. */
const HEARTBEAT_STEP = 0.001

/** Passes the progress of an operation on to a client, each step once and never backwards. */
export class ProgressReport {
  readonly #send: (params: ProgressParams) => Promise<void>
  readonly #timer: NodeJS.Timeout
  #progress = -1
  #message = ''

  constructor(send: (params: ProgressParams) => Promise<void>) {
    this.#send = send
    this.#timer = setInterval(() => {
      if (this.#progress >= 0) this.#report(this.#progress + HEARTBEAT_STEP)
    }, HEARTBEAT_MS)
    this.#timer.unref()
  }

  readonly listener: ProgressListener = ({ percent, message }) => {
    if (percent <= this.#progress) return
    this.#message = message
    this.#report(percent)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #report(progress: number): void {
    this.#progress = progress
    // A client that has left learns nothing more.
    this.#send({ progress, total: 100, message: this.#message }).catch(() => {})
  }
}
