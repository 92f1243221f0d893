import type { WorkerRequests } from '@tapdeck/api'
import {
  askMerged,
  type HandshakeCounts,
  type HandshakePercentiles,
  mergeHandshakes,
  type Questions,
} from '@tapdeck/questions'
import type { Question } from '../query/call-source.ts'

/** By destination. */
export type Handshakes = ReadonlyMap<string, HandshakePercentiles>

/** Several indexes that share no flow. */
export interface Shards {
  readonly count: number
  /** Resolves with an answer of each of them; with `handshakes`, calls carry these. */
  ask<Name extends Question>(
    question: Name,
    input: WorkerRequests[Name]['input'],
    handshakes?: Handshakes,
  ): Promise<readonly WorkerRequests[Name]['output'][]>
  handshakes(): Promise<readonly HandshakeCounts[]>
}

/** One answer out of those of all shards. */
export async function askShards<Name extends Question>(
  shards: Shards,
  question: Name,
  input: WorkerRequests[Name]['input'],
): Promise<WorkerRequests[Name]['output']> {
  const handshakes = readsHandshakes(question, input) ? mergeHandshakes(await shards.handshakes()) : undefined
  const sources = {
    count: shards.count,
    async ask<Asked extends Question>(
      asked: Asked,
      about: Questions[Asked]['input'],
      at?: readonly number[],
    ): Promise<ReadonlyMap<number, Questions[Asked]['output']>> {
      const answers = await shards.ask(asked, about as WorkerRequests[Asked]['input'], handshakes)
      const known = [...(answers as readonly Questions[Asked]['output'][]).entries()]
      return new Map(at ? known.filter(([place]) => at.includes(place)) : known)
    },
  }
  const about = input as unknown as Questions[Name]['input']
  return (await askMerged(sources, question, about)) as WorkerRequests[Name]['output']
}

/** Whether the percentiles of a destination, which are those of all its connections, are shown or decide what matches. */
function readsHandshakes(question: Question, input: object): boolean {
  const { format = 'compact', kfl = '' } = input as { readonly format?: string; readonly kfl?: string }
  return question === 'call' || (question === 'calls' && format !== 'compact') || kfl.includes('handshake')
}
