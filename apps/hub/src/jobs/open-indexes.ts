import type { CallIndex } from '@tapdeck/index'

interface Held {
  readonly opened: Promise<CallIndex>
  users: number
  /** Set where it is to be closed as soon as nobody uses it. */
  leave?: () => void
}

/** Indexes that are open for reading. The ones used last stay open, up to a ceiling; none closes under a reader. */
export class OpenIndexes {
  readonly #most: number
  /** In order of use, oldest first. */
  readonly #held = new Map<string, Held>()
  readonly #closing = new Set<Promise<void>>()

  constructor(most = 8) {
    this.#most = most
  }

  get size(): number {
    return this.#held.size
  }

  async use<Result>(
    folder: string,
    open: () => Promise<CallIndex>,
    read: (index: CallIndex) => Promise<Result>,
  ): Promise<Result> {
    const held = this.#hold(folder, open)
    try {
      return await read(await held.opened)
    } finally {
      held.users--
      if (held.users === 0) held.leave?.()
      this.#trim()
    }
  }

  /** Resolves once it is closed, after those who read it now. Whoever comes later opens it again. */
  async forget(folder: string): Promise<void> {
    const held = this.#held.get(folder)
    if (held) await this.#close(folder, held)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#held].map(([folder, held]) => this.#close(folder, held)))
    await Promise.all(this.#closing)
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
