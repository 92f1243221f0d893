import type { Statement } from './statement.ts'
import { Step, type StepKind } from './step.ts'

/** A connection in which the client waits for nothing is taken to have drained after this silence, µs. */
const QUIET = 100_000
/** Steps that are kept to be used again. */
const KEPT = 16

/**
 * What the client has asked and the server not answered yet. The server answers in order and ends each batch (a
 * query, or all up to a Sync) by saying that it is ready. Lost bytes break the count: it is certain again when the
 * client begins a new batch although the end of the previous one was not captured, because most clients take turns.
 */
export class Steps {
  /** Steps refused because too many waited. */
  readonly #ceiling: number
  /** Those that wait are from `#first` to `#end`; the others are free. */
  #steps: Step[] = []
  #first = 0
  #end = 0
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
    return this.#first < this.#end ? this.#steps[this.#first] : undefined
  }

  get waiting(): boolean {
    return this.#first < this.#end
  }

  push(kind: StepKind, key: number, statement: Statement | undefined, time: number, size: number): void {
    if (this.#first < this.#end && this.#steps[this.#end - 1].closes) this.#newBatch(time)
    if (this.#end - this.#first >= this.#ceiling) this.clear()
    if (this.#append(kind, key, statement, time, size).closes) this.#closers++
  }

  /** Bytes of the client were lost: what it asked next stands after an unknown number of questions. */
  requestsLost(time: number): void {
    if (this.waiting) this.#append('lost', -1, undefined, time, 0)
  }

  /** Bytes of the server were lost, perhaps with whole answers. */
  responsesLost(): void {
    this.#unsure = true
    if (this.#closers <= 1) return
    this.#steps.splice(this.#first, 0, new Step())
    this.#end++
  }

  /** Takes the next step of that kind in the batch; those before it lost their answers. */
  take(kind: StepKind): Step | undefined {
    const index = this.#find(kind)
    if (index < 0) return undefined
    const step = this.#steps[index]
    this.#first = index + 1
    return step
  }

  /** The next step of that kind in the batch, which goes on waiting. */
  peek(kind: StepKind): Step | undefined {
    const index = this.#find(kind)
    return index < 0 ? undefined : this.#steps[index]
  }

  /** Takes that one step out of the batch, wherever it stands. */
  remove(step: Step): void {
    const index = this.#steps.indexOf(step, this.#first)
    if (index < 0 || index >= this.#end) return
    this.#steps.splice(index, 1)
    this.#end--
    if (step.closes) this.#closers--
  }

  /**
   * The server is ready: takes all of the batch, and returns the last of it. Nothing where it is unknown which batch this
   * ended. The keys of what was to be executed and was not are added to `unexecuted`.
   */
  takeBatch(unexecuted: number[] | undefined): Step | undefined {
    const steps = this.#steps
    let index = this.#first
    while (index < this.#end && !steps[index].closes && steps[index].kind !== 'lost') index++
    if (index < this.#end) {
      if (steps[index].kind === 'lost') {
        if (this.#closers === 0) this.clear()
        return undefined
      }
      this.#closers--
      if (this.#closers === 0) this.#unsure = false
      index++
    }
    if (unexecuted !== undefined)
      for (let i = this.#first; i < index; i++) if (steps[i].kind === 'execute') unexecuted.push(steps[i].key)
    const last = index > this.#first ? steps[index - 1] : undefined
    this.#first = index
    if (index === this.#end) this.#empty()
    return last
  }

  clear(): void {
    this.#empty()
    this.#closers = 0
    this.#unsure = false
  }

  #append(kind: StepKind, key: number, statement: Statement | undefined, time: number, size: number): Step {
    if (this.#first > KEPT) this.#close()
    let step = this.#steps[this.#end]
    if (step === undefined) {
      step = new Step()
      this.#steps.push(step)
    }
    step.set(kind, key, statement, time, size)
    this.#end++
    return step
  }

  /** Nothing waits: all are free, and know of no statement that may be forgotten meanwhile. */
  #empty(): void {
    const steps = this.#steps
    if (steps.length > KEPT) this.#steps = []
    else for (let i = 0; i < this.#end; i++) steps[i].statement = undefined
    this.#first = 0
    this.#end = 0
  }

  /** Many were taken while others came: lets go of those. */
  #close(): void {
    this.#steps.splice(0, this.#first)
    this.#end -= this.#first
    this.#first = 0
  }

  #find(kind: StepKind): number {
    const steps = this.#steps
    for (let i = this.#first; i < this.#end; i++) {
      const step = steps[i]
      if (step.kind === kind) return i
      if (step.closes || step.kind === 'lost') return -1
    }
    return -1
  }

  /** The client goes on although batches are unanswered: it does not wait, or their answers were lost. */
  #newBatch(time: number): void {
    if (!this.#unsure && !this.#hasLost()) this.#overlaps = true
    else if (!this.#overlaps || time - this.heard > QUIET) this.clear()
  }

  #hasLost(): boolean {
    for (let i = this.#first; i < this.#end; i++) if (this.#steps[i].kind === 'lost') return true
    return false
  }
}
