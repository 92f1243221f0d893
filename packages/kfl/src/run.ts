import type { TestNode } from './typed-node.ts'

export type Predicate = (call: object) => boolean

/** What a filter keeps while it runs on one call. */
export interface Run {
  /** The values of macro variables, by slot. */
  readonly variables: unknown[]
  /** How many more elements the macros may look at. */
  left: number
  /** Set where the filter has macros at all. */
  looksThroughLists: boolean
  /** Compiles a test inside a value (`a ? b : c`, `filter`): a member, so that values need not import tests. */
  readonly compileTest: (node: TestNode, run: Run) => Predicate
}
