import type { Catalog, Filter } from '@tapdeck/kfl'
import type { z } from 'zod'
import type { Ownership } from './ownership.ts'
import type { RedactedNames } from './redacted-names.ts'

/** Questions by their names. The file of each adds here what is asked and what is answered. */
// biome-ignore lint/suspicious/noEmptyInterface: the questions fill it
export interface Questions {}

/** The calls and flows of one database. The file of each question adds what it asks of an engine. */
// biome-ignore lint/suspicious/noEmptyInterface: the questions fill it
export interface CallReader {}

/** What a question adds to `Questions`. */
export interface Asked<In extends z.ZodType, Out extends z.ZodType> {
  readonly input: z.output<In>
  readonly output: z.output<Out>
}

export type QuestionName = keyof Questions
export type Input<Name extends QuestionName> = Questions[Name]['input']
export type Output<Name extends QuestionName> = Questions[Name]['output']
export type Ask = <Name extends QuestionName>(question: Name, input: Input<Name>) => Promise<Output<Name>>

/** What a question asks of an engine: the filter is compiled, and has the ownership in it. */
export type Compiled<In extends { readonly kfl: string; readonly owners?: unknown }> = Omit<
  In,
  'kfl' | 'owners'
> & { readonly filter: Filter }

/** What hub and worker know of a request. */
export interface LinkRequest<In, Out> {
  /** As it travels from the hub to a worker. Fields that are not named here are dropped. */
  readonly input: z.ZodType<In>
  /** As it travels back. Whatever does not fit makes the worker one that did not answer. */
  readonly output: z.ZodType<Out>
  /** Bytes of the answer, where it is more than 64 KiB. Streamed bytes are limited by credit instead. */
  readonly largest?: number
  /** Milliseconds that a worker has for the answer, where it is not 10,000; a caller may have more patience. */
  readonly timeout?: number
  /** It may look at many calls, so that a node is asked only some of these at the same time. */
  readonly inTurn?: boolean
}

/** All of a question: hub, workers, dissections and the ClickHouse of all nodes derive from it what they do with it. */
export interface Question<Name extends QuestionName> extends LinkRequest<Input<Name>, Output<Name>> {
  /** Its input has `owners`: each exchange counts once, though several nodes have seen it. */
  readonly isOwned?: boolean
  answer(index: CallReader, input: Input<Name>, reading: Reading): Promise<Output<Name>>
  /** Of several sources, as one index of all calls would answer. */
  merge(sources: AnswerSources, input: Input<Name>): Promise<Output<Name>>
  /** For a caller who may see only some calls. */
  narrow(input: Input<Name>, narrowing: Narrowing): Promise<Output<Name>>
  /** For a caller who sees payloads redacted. */
  redact(input: Input<Name>, redacting: Redacting): Promise<Output<Name>>
}

/** How an index reads what is asked. */
export interface Reading {
  readonly catalog: Catalog
  /** The filter, of those calls that this index reports; with `undecided`, of those that others may report as well. */
  filter(kfl: string, owners: Ownership | undefined, undecided?: boolean): Filter
}

/** Several indexes that hold different calls: the shards of a dissection, or the nodes of a cluster. */
export interface AnswerSources {
  readonly count: number
  /**
   * Asks the sources at these places, or all, at once. One that does not answer is absent: the implementation records
   * why. Throws where none answers.
   */
  ask<Name extends QuestionName>(
    question: Name,
    input: Input<Name>,
    at?: readonly number[],
  ): Promise<ReadonlyMap<number, Output<Name>>>
}

/** What of a call decides who sees it. */
export interface VisibleCall {
  readonly src?: { readonly ns?: string }
  readonly dst?: { readonly ns?: string }
  readonly decrypted?: boolean
}

/** The part of the calls that a caller may see. */
export interface Narrowing {
  /** The only namespaces whose traffic is visible; undefined: all. */
  readonly namespaces: readonly string[] | undefined
  /** Asks the source, which knows nothing of the caller. */
  readonly ask: Ask
  /** A filter that matches what the given one matches, of what is visible. Throws `KflError`. */
  filter(kfl: string, alsoReturned?: string): string
  sees(call: VisibleCall): boolean
  /** Whether a service of this namespace is only used by visible calls. */
  holds(namespace: string | undefined): boolean
}

/** How a caller sees what was sent. A filter on hidden values would reveal them, so it is refused. */
export interface Redacting {
  readonly ask: Ask
  call(call: unknown): unknown
  readonly names: RedactedNames
  /** Throws where a filter reads what is redacted. */
  allow(kfl: string): void
  allowField(name: string): void
}
