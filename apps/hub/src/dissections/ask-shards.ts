import {
  askMerged,
  type HandshakeCounts,
  type HandshakePercentiles,
  type Input,
  mergeHandshakes,
  type Output,
  type QuestionName,
} from '@tapdeck/questions'

/** By destination. */
export type Handshakes = ReadonlyMap<string, HandshakePercentiles>

/** Several indexes that share no flow. */
export interface Shards {
  readonly count: number
  /** Resolves with an answer of each of them; with `handshakes`, calls carry these. */
  ask<Name extends QuestionName>(
    question: Name,
    input: Input<Name>,
    handshakes?: Handshakes,
  ): Promise<readonly Output<Name>[]>
  handshakes(): Promise<readonly HandshakeCounts[]>
}

/** One answer out of those of all shards. */
export async function askShards<Name extends QuestionName>(
  shards: Shards,
  question: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const handshakes = readsHandshakes(question, input) ? mergeHandshakes(await shards.handshakes()) : undefined
  const sources = {
    count: shards.count,
    async ask<Asked extends QuestionName>(
      asked: Asked,
      about: Input<Asked>,
      at?: readonly number[],
    ): Promise<ReadonlyMap<number, Output<Asked>>> {
      const known = [...(await shards.ask(asked, about, handshakes)).entries()]
      return new Map(at ? known.filter(([place]) => at.includes(place)) : known)
    },
  }
  return askMerged(sources, question, input)
}

/** Whether the percentiles of a destination, which are those of all its connections, are shown or decide what matches. */
function readsHandshakes(question: QuestionName, input: object): boolean {
  const { format = 'compact', kfl = '' } = input as { readonly format?: string; readonly kfl?: string }
  return question === 'call' || (question === 'calls' && format !== 'compact') || kfl.includes('handshake')
}
