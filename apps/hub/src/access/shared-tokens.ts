import { type ApiToken, apiToken } from '@tapdeck/api/credentials'
import { z } from 'zod'
import { InTurn } from '../state/in-turn.ts'
import type { StateStore } from '../state/state-store.ts'
import type { TokenRecords } from './token-records.ts'

const DOCUMENT = 'tokens'
const shape = z.object({ tokens: z.array(apiToken) })

/** API tokens in the state of the hub, which the hub that takes over has, too. */
export class SharedTokens implements TokenRecords {
  readonly #state: StateStore
  readonly #changes = new InTurn()
  #tokens: readonly ApiToken[]
  #isNew = true

  private constructor(state: StateStore, tokens: readonly ApiToken[]) {
    this.#state = state
    this.#tokens = tokens
  }

  /** Throws where the document is damaged: a hub without its tokens would lock its users out. */
  static async open(state: StateStore): Promise<SharedTokens> {
    try {
      const text = (await state.read(DOCUMENT)) ?? '{"tokens":[]}'
      return new SharedTokens(state, shape.parse(JSON.parse(text)).tokens)
    } catch (error) {
      throw new Error(`cannot read the API tokens in ${state.address}`, { cause: error })
    }
  }

  look(): readonly ApiToken[] | undefined {
    if (!this.#isNew) return undefined
    this.#isNew = false
    return this.#tokens
  }

  add(token: ApiToken): Promise<void> {
    return this.#change((tokens) => [...tokens, token])
  }

  remove(id: string): Promise<void> {
    return this.#change((tokens) => tokens.filter((token) => token.id !== id))
  }

  #change(edit: (tokens: readonly ApiToken[]) => readonly ApiToken[]): Promise<void> {
    return this.#changes.run(async () => {
      const tokens = edit(this.#tokens)
      if (tokens.length === this.#tokens.length) return
      await this.#state.write(DOCUMENT, JSON.stringify({ tokens }))
      this.#tokens = tokens
      this.#isNew = true
    })
  }
}
