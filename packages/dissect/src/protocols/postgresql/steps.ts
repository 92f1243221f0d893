import { isCloser, type Step, type StepKind } from './step.ts'

/** A connection in which the client waits for nothing is taken to have drained after this silence, µs. */
const QUIET = 100_000

/**
 * What the client has asked and the server not answered yet. The server answers in order and ends each batch (a
 * query, or all up to a Sync) by saying that it is ready. Lost bytes break the count: it is certain again when the
 * client begins a new batch although nobody saw the end of the one before, for most clients take turns.
 */
export class Steps {
  /** Steps refused because too many waited. */
  readonly #ceiling: number
  #steps: Step[] = []
  #closers = 0
  /** The client was seen to send a batch before the last was answered. */
  #overlaps = false
  #unsure = false
  /** Packet time of the server's last message. */
  heard = 0

  constructor(ceiling: number) {
    this.#ceiling = ceiling
  }

  get first(): Step | undefined {
    return this.#steps[0]
  }

  get waiting(): boolean {
    return this.#steps.length > 0
  }

  push(step: Step): void {
    const last = this.#steps.at(-1)
    if (last !== undefined && isCloser(last)) this.#newBatch(step.time)
    if (this.#steps.length >= this.#ceiling) this.clear()
    this.#steps.push(step)
    if (isCloser(step)) this.#closers++
  }

  /** Bytes of the client were lost: what it asked next stands after an unknown number of questions. */
  requestsLost(time: number): void {
    if (this.#steps.length > 0)
      this.#steps.push({ kind: 'lost', key: -1, statement: undefined, time, size: 0 })
  }

  /** Bytes of the server were lost, perhaps with whole answers. */
  responsesLost(): void {
    this.#unsure = true
    if (this.#closers > 1)
      this.#steps.unshift({ kind: 'lost', key: -1, statement: undefined, time: 0, size: 0 })
  }

  /** Takes the next step of that kind in the batch; those before it lost their answers. */
  take(kind: StepKind): Step | undefined {
    const index = this.#find(kind)
    if (index < 0) return undefined
    const step = this.#steps[index]
    if (index === 0) this.#steps.shift()
    else this.#steps.splice(0, index + 1)
    return step
  }

  /** The next step of that kind in the batch, which goes on waiting. */
  peek(kind: StepKind): Step | undefined {
    return this.#steps[this.#find(kind)]
  }

  /** Takes that one step out of the batch, wherever it stands. */
  remove(step: Step): void {
    const index = this.#steps.indexOf(step)
    if (index < 0) return
    this.#steps.splice(index, 1)
    if (isCloser(step)) this.#closers--
  }

  /** The server is ready: takes all of the batch. Empty where it is unknown which batch this ended. */
  takeBatch(): readonly Step[] {
    let index = 0
    while (index < this.#steps.length && !isCloser(this.#steps[index]) && this.#steps[index].kind !== 'lost')
      index++
    if (index === this.#steps.length) index = -1
    if (index < 0) {
      const rest = this.#steps
      this.#steps = []
      return rest
    }
    if (this.#steps[index].kind === 'lost') {
      if (this.#closers === 0) this.clear()
      return []
    }
    this.#closers--
    if (this.#closers === 0) this.#unsure = false
    const batch = this.#steps
    if (index + 1 < batch.length) return batch.splice(0, index + 1)
    this.#steps = []
    return batch
  }

  clear(): void {
    this.#steps = []
    this.#closers = 0
    this.#unsure = false
  }

  #find(kind: StepKind): number {
    for (let i = 0; i < this.#steps.length; i++) {
      const step = this.#steps[i]
      if (step.kind === kind) return i
      if (isCloser(step) || step.kind === 'lost') return -1
    }
    return -1
  }

  /** The client goes on although batches are unanswered: it does not wait, or their answers were lost. */
  #newBatch(time: number): void {
    const uncertain = this.#unsure || this.#steps.some((step) => step.kind === 'lost')
    if (!uncertain) this.#overlaps = true
    else if (!this.#overlaps || time - this.heard > QUIET) this.clear()
  }
}
