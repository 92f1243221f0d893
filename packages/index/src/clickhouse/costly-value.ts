/** Of the time that passes, at most this part is spent on reading a value anew. */
const SHARE = 0.05

/** A value that takes long to read and changes slowly. The longer a read took, the longer its value is used. */
export class CostlyValue<Value> {
  readonly #now: () => number
  #value: Promise<Value> | undefined
  #until = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get(read: () => Promise<Value>): Promise<Value> {
    if (this.#value === undefined || this.#now() >= this.#until) {
      this.#until = Number.POSITIVE_INFINITY
      this.#value = this.#read(read)
    }
    return this.#value
  }

  async #read(read: () => Promise<Value>): Promise<Value> {
    const began = this.#now()
    try {
      const value = await read()
      const ended = this.#now()
      this.#until = ended + (ended - began) / SHARE
      return value
    } catch (error) {
      this.#value = undefined
      throw error
    }
  }
}
