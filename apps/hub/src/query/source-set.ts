import { Problem } from '@tapdeck/api'
import type { AnswerSources, Input, Output, QuestionName } from '@tapdeck/questions'
import { askTogether } from './ask-together.ts'
import type { CallSource } from './call-source.ts'

interface Missing {
  readonly name: string
  readonly reason: string
}

/** The sources of one answer: nodes, or the nodes of a dissection. Those that do not answer are noted, with the reason. */
export class SourceSet implements AnswerSources {
  readonly #sources: readonly CallSource[]
  readonly #failures = new Map<number, Problem>()

  constructor(sources: readonly CallSource[]) {
    this.#sources = sources
  }

  get count(): number {
    return this.#sources.length
  }

  nodeAt(place: number): string {
    // Of one source, rows are numbered by its shards.
    return this.#sources[this.count === 1 ? 0 : place]?.node ?? ''
  }

  /** Nodes whose part is not in the answer, or not all of it. */
  get missing(): Missing[] {
    return [...this.#failures].map(([at, { message }]) => ({
      name: this.#sources[at]!.node,
      reason: message,
    }))
  }

  /**
   * Asks at once. A node that fails is not asked again for this answer. Where none answers, what the nodes say is wrong
   * with the request is thrown, or 503.
   */
  async ask<Name extends QuestionName>(
    question: Name,
    input: Input<Name>,
    at: readonly number[] = [...this.#sources.keys()],
  ): Promise<ReadonlyMap<number, Output<Name>>> {
    const asked = at.filter((place) => !this.#failures.has(place))
    const results = await askTogether(
      asked.map((place) => {
        const source = this.#sources[place]!
        return { node: source.node, ask: (signal) => source.ask(question, input, { signal }) }
      }),
    )
    const answers = new Map<number, Output<Name>>()
    for (const [i, result] of results.entries()) {
      const place = asked[i]!
      if (result.status === 'fulfilled') answers.set(place, result.value)
      else if (result.reason instanceof Problem) this.#failures.set(place, result.reason)
      else throw result.reason
    }
    if (this.#failures.size > 0 && this.#failures.size === this.count) this.#throwFailure()
    return answers
  }

  #throwFailure(): never {
    throw [...this.#failures.values()].find(({ status }) => status < 500) ?? noAnswer(this.missing)
  }
}

const MAX_NAMED = 10

/** Why no node answered, by the first of them. */
export function noAnswer(missing: readonly Missing[]): Problem {
  const named = missing.slice(0, MAX_NAMED).map(({ name, reason }) => `${name}: ${reason}`)
  const more = missing.length > MAX_NAMED ? [`and ${missing.length - MAX_NAMED} other nodes`] : []
  return new Problem(503, 'no_answer', [...named, ...more].join('; '), {
    hint: 'Ask again. If it takes too long, narrow the question with start, end or kfl, or ask a dissection of a snapshot (db).',
  })
}
