import type { Catalog } from './catalog.ts'
import { check } from './check.ts'
import { parse } from './parser.ts'
import { testPaths } from './paths.ts'
import { predicate } from './predicate.ts'
import type { Predicate, Run } from './run.ts'
import type { TestNode, TypedNode } from './typed-node.ts'

/** A checked filter, ready to run. */
export interface Filter {
  readonly text: string
  readonly tree: TypedNode
  /** Takes the full shape of a call; reads only the paths below, and those only as far as it must. */
  matches(call: object): boolean
  /** The top-level conjuncts, each alone; of a filter that is no conjunction, itself; of an empty one, none. */
  readonly parts: readonly Filter[]
  /** Paths of the full call that it may read. */
  readonly paths: readonly string[]
}

/** Checks a filter and makes it runnable; `now` (Unix milliseconds) is what `now()` stands for. Throws `KflError`. */
export function compile(text: string, catalog: Catalog | (() => Catalog), now?: number): Filter {
  const syntax = parse(text)
  if (syntax) {
    const known = typeof catalog === 'function' ? catalog() : catalog
    return new CompiledFilter(text, check(text, syntax, known, now))
  }
  return new CompiledFilter(text, { kind: 'always', value: true, start: 0, end: text.length })
}

/** The filter with a further condition. It keeps its text: cursors of a query stay valid whatever the condition is. */
export function restrict(filter: Filter, condition: TestNode): Filter {
  const { start, end } = filter.tree
  return new CompiledFilter(filter.text, { kind: 'and', parts: [filter.tree, condition], start, end })
}

class CompiledFilter implements Filter {
  readonly text: string
  readonly tree: TypedNode
  readonly matches: Predicate
  #parts: readonly Filter[] | undefined
  #paths: readonly string[] | undefined

  constructor(text: string, tree: TestNode) {
    this.text = text
    this.tree = tree
    this.matches = runnable(tree)
  }

  get parts(): readonly Filter[] {
    this.#parts ??= this.#split()
    return this.#parts
  }

  get paths(): readonly string[] {
    this.#paths ??= testPaths(this.tree)
    return this.#paths
  }

  #split(): readonly Filter[] {
    if (this.text.trim() === '') return []
    const parts = conjuncts(this.tree)
    if (parts.length === 1) return [this]
    return parts.map((part) => new CompiledFilter(this.text.slice(part.start, part.end), part))
  }
}

function conjuncts(tree: TestNode): readonly TestNode[] {
  return tree.kind === 'and' && tree.written ? tree.parts.flatMap(conjuncts) : [tree]
}

/** Elements of lists that macros look at in one call; nested macros over long lists would go on for hours. */
const MAX_ELEMENTS = 1_000_000

function runnable(tree: TestNode): Predicate {
  const run: Run = { variables: [], left: 0, looksThroughLists: false, compileTest: predicate }
  const test = predicate(tree, run)
  if (!run.looksThroughLists) return test
  return (call) => {
    run.left = MAX_ELEMENTS
    return test(call) && run.left >= 0
  }
}
