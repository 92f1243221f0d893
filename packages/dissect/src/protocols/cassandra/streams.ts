/** Requests under way whose streams are remembered; the oldest make room. */
const MAX_COUNT = 4096

/**
 * Numbers the requests of a connection, so that an answer finds the last request of its stream: a stream is used again
 * only when it is free, so what was asked on it before has been answered, even where that answer was lost.
 */
export class Streams {
  readonly #requests = new Map<number, number>()
  #last = 0

  asked(stream: number): number {
    this.#requests.delete(stream)
    if (this.#requests.size >= MAX_COUNT) {
      const [oldest] = this.#requests.keys()
      this.#requests.delete(oldest)
    }
    this.#requests.set(stream, ++this.#last)
    return this.#last
  }

  /** The number of the request that is answered; one that no request has, where it is unknown. */
  answered(stream: number): number {
    const request = this.#requests.get(stream)
    if (request === undefined) return -1 - stream
    this.#requests.delete(stream)
    return request
  }
}
