/** Runs changes one after the other, so that each begins with what the one before left. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve()

  run<Value>(change: () => Promise<Value>): Promise<Value> {
    const done = this.#last.then(change)
    this.#last = done.catch(() => {})
    return done
  }
}
