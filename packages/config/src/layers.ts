import type { Assignment } from './set-notation.ts'

/** Values of one source, still unchecked. Lists and scalars replace each other whole, objects are merged. */
export type Tree = { [key: string]: unknown }

type Path = readonly (string | number)[]

/** Sources laid over each other, that remember which of them gave each value. */
export class Layers {
  readonly tree: Tree = empty()
  readonly #marks: { readonly path: Path; readonly from: string }[] = []

  merge(values: Readonly<Tree>, from: string): void {
    this.#merge(this.tree, values, [], from)
  }

  /** `null` takes back what earlier sources said. */
  assign({ path, value }: Assignment, from: string): void {
    this.#marks.push({ path, from })
    let holder: Tree | unknown[] = this.tree
    for (const [at, key] of path.slice(0, -1).entries()) {
      const inner: unknown = read(holder, key)
      const wanted = typeof path[at + 1] === 'number' ? Array.isArray(inner) : isTree(inner)
      const next = wanted ? (inner as Tree | unknown[]) : typeof path[at + 1] === 'number' ? [] : empty()
      write(holder, key, next)
      holder = next
    }
    write(holder, path.at(-1)!, value)
  }

  /** The source that spoke last about the value at the path, about something in it or around it. */
  origin(path: Path): string {
    const mark = this.#marks.findLast((one) => startsWith(one.path, path) || startsWith(path, one.path))
    return mark?.from ?? 'the defaults'
  }

  #merge(target: Tree, values: Readonly<Tree>, path: Path, from: string): void {
    for (const [key, value] of Object.entries(values)) {
      const inner = [...path, key]
      if (isTree(value)) {
        const held = target[key]
        const next = isTree(held) ? held : empty()
        target[key] = next
        this.#merge(next, value, inner, from)
        if (Object.keys(value).length > 0) continue
      } else write(target, key, value)
      this.#marks.push({ path: inner, from })
    }
  }
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Without a prototype, so that no key of a values file is special. */
function empty(): Tree {
  return Object.create(null) as Tree
}

function read(holder: Tree | unknown[], key: string | number): unknown {
  return (holder as Tree)[key]
}

function write(holder: Tree | unknown[], key: string | number, value: unknown): void {
  if (value === null && !Array.isArray(holder)) delete holder[key]
  else (holder as Tree)[key] = value
}

function startsWith(path: Path, head: Path): boolean {
  return head.length <= path.length && head.every((key, at) => key === path[at])
}
