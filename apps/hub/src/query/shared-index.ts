import { Problem } from '@tapdeck/api'
import { ClickhouseFailure, WrongSchema } from '@tapdeck/index'
import type { ClickhouseIndex } from '@tapdeck/index/clickhouse'
import type { Catalog } from '@tapdeck/kfl'
import { type Ownership, questions } from '@tapdeck/questions'
import type { NodeGap } from '../cluster/coverage.ts'
import type { Log } from '../log.ts'
import { answerQuestion } from './answer-question.ts'
import type { CallSource } from './call-source.ts'
import { commonOwnership } from './owned-source.ts'

const NAME = 'clickhouse'
/** How long the list of nodes is used again, milliseconds. */
const NODES_MS = 10_000

/** The index in ClickHouse that all nodes write to. One query asks for the calls of all of them. */
export class SharedIndex {
  /** All that the nodes stored, each exchange as often as it was seen. */
  readonly views: CallSource
  readonly #index: ClickhouseIndex
  readonly #catalog: Catalog
  readonly #log: Log
  readonly #now: () => number
  #nodes: { readonly at: number; readonly names: Promise<readonly string[]> } | undefined
  #isFailing = false

  constructor(index: ClickhouseIndex, catalog: Catalog, log: Log, now: () => number) {
    this.#index = index
    this.#catalog = catalog
    this.#log = log
    this.#now = now
    this.views = this.#source(async () => undefined)
  }

  /** Each exchange once. `gaps`: times of which nodes stored nothing; then the view of another node counts. */
  source(gaps: readonly NodeGap[], isSettled: (nodes: readonly string[]) => boolean): CallSource {
    return this.#source(async () => {
      const nodes = await this.#names()
      return nodes.length < 2 ? undefined : commonOwnership(nodes, gaps, isSettled)
    })
  }

  close(): Promise<void> {
    return this.#index.close()
  }

  #source(ownership: () => Promise<Ownership | undefined>): CallSource {
    return {
      node: NAME,
      isShared: true,
      ask: (question, input) =>
        this.#answered(async () => {
          const owners = questions[question].isOwned ? await ownership() : undefined
          const asked = owners ? { ...input, owners } : input
          return answerQuestion(this.#index, this.#catalog, question, asked)
        }),
    }
  }

  /** Nodes that have stored calls. */
  #names(): Promise<readonly string[]> {
    const now = this.#now()
    if (this.#nodes === undefined || now - this.#nodes.at > NODES_MS) {
      const names = this.#index.nodes()
      this.#nodes = { at: now, names }
      names.catch(() => {
        this.#nodes = undefined
      })
    }
    return this.#nodes.names
  }

  /** What is wrong with ClickHouse is logged once; callers learn that there is no answer. */
  async #answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await ask()
      if (this.#isFailing) this.#log.info('ClickHouse answers again')
      this.#isFailing = false
      return answer
    } catch (error) {
      if (error instanceof WrongSchema)
        throw new Problem(503, 'index_schema', error.message, { hint: 'See docs/clickhouse.md.' })
      if (!(error instanceof ClickhouseFailure)) throw error
      if (!this.#isFailing) this.#log.error({ err: error }, 'ClickHouse does not answer')
      this.#isFailing = true
      throw new Problem(503, 'index_away', 'ClickHouse, which has the live calls, does not answer', {
        hint: 'See the log of the hub. Packets are recorded meanwhile: use db=recording, or a snapshot.',
      })
    }
  }
}
