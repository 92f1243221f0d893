import { setTimeout } from 'node:timers/promises'
import { Problem } from '@tapdeck/api'
import type { CallIndex } from '@tapdeck/index'

/** Time for queries that run when all is closed; the whole stop of the hub may take ten seconds. */
const GRACE_MS = 2000

interface Held {
  readonly opened: Promise<CallIndex>
  users: number
  /** It has given back what memory it could. */
  released?: Promise<void>
  /** Set if it is to be closed after its last use. */
  leave?: () => void
}

/**
 * A dissection has an index for each of its nodes, and each query reads all of them: opening one takes 10 to 40 ms, an open
 * one that rests has some 4 MB.
 */
const MOST = 64
/** So many keep in memory what they have read. */
const WARM = 8

/**
 * Indexes that are open for reading. The ones used last stay open, up to a ceiling, and of these the last ones keep what they
 * have read; none closes under a reader.
 */
export class OpenIndexes {
  readonly #most: number
  readonly #warm: number
  /** In order of use, oldest first. */
  readonly #held = new Map<string, Held>()
  readonly #closing = new Set<Promise<void>>()
  readonly #grace: number
  #closed = false

  constructor(most = MOST, warm = WARM, grace = GRACE_MS) {
    this.#most = most
    this.#warm = warm
    this.#grace = grace
  }

  get size(): number {
    return this.#held.size
  }

  async use<Result>(
    folder: string,
    open: () => Promise<CallIndex>,
    read: (index: CallIndex) => Promise<Result>,
  ): Promise<Result> {
    if (this.#closed) throw ending()
    const held = this.#hold(folder, open)
    try {
      await held.released
      delete held.released
      return await read(await held.opened)
    } catch (error) {
      throw this.#closed ? ending() : error
    } finally {
      held.users--
      if (held.users === 0) held.leave?.()
      this.#trim()
      this.#release()
    }
  }

  /** Resolves once it is closed, after the current reads. A later read opens it again. */
  async forget(folder: string): Promise<void> {
    const held = this.#held.get(folder)
    if (held) await this.#close(folder, held)
  }

  /** All of them, for good. Those who still read after a while are broken off. */
  async close(): Promise<void> {
    this.#closed = true
    const held = [...this.#held]
    for (const [folder, one] of held) void this.#close(folder, one)
    const timer = new AbortController()
    const late = setTimeout(this.#grace, 'late', timer).catch(() => undefined)
    const closed = Promise.all(this.#closing)
    if ((await Promise.race([closed, late])) === 'late')
      await Promise.all(held.map(([, { opened }]) => opened.then((index) => index.abandon()).catch(() => {})))
    timer.abort()
  }

  #hold(folder: string, open: () => Promise<CallIndex>): Held {
    const held = this.#held.get(folder) ?? { opened: open(), users: 0 }
    this.#held.delete(folder)
    this.#held.set(folder, held)
    held.users++
    held.opened.catch(() => {
      if (this.#held.get(folder) === held) this.#held.delete(folder)
    })
    return held
  }

  #trim(): void {
    for (const [folder, held] of this.#held) {
      if (this.#held.size <= this.#most) return
      if (held.users === 0) void this.#close(folder, held)
    }
  }

  #release(): void {
    let warm = this.#held.size
    for (const held of this.#held.values()) {
      if (warm-- <= this.#warm) return
      if (held.users === 0) held.released ??= held.opened.then((index) => index.release()).catch(() => {})
    }
  }

  #close(folder: string, held: Held): Promise<void> {
    this.#held.delete(folder)
    const closing = new Promise<void>((resolve) => {
      held.leave = () => resolve(held.opened.then((index) => index.close()).catch(() => {}))
      if (held.users === 0) held.leave()
    }).finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
    return closing
  }
}

function ending(): Problem {
  return new Problem(503, 'ending', 'The hub is shutting down', { hint: 'Retry when it is running again.' })
}
