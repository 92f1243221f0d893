import type { CallIndex } from '../call-index.ts'
import type { OpenIndex } from '../contract/check.ts'
import { openIndexInChunks } from '../duckdb/open-index.ts'

/** What is appended between two flushes of `inSmallChunks`. */
const AT_ONCE = 20

/** An index on DuckDB that begins a chunk every few calls, and reads two of them at once. */
export const inSmallChunks: OpenIndex = async (folder, options, catalog) => {
  const groups = { chunksAtOnce: 2, chunksOfMany: 2 }
  const index = await openIndexInChunks(folder, options, catalog, { rows: 1, groups })
  return flushingOften(index)
}

/** Hands on what is appended a few at a time, each with a flush of its own: chunks begin after a flush. */
function flushingOften(index: CallIndex): CallIndex {
  let waiting: (() => void)[] = []
  const later =
    <Arguments extends unknown[]>(append: (...given: Arguments) => void) =>
    (...given: Arguments) => {
      waiting.push(() => append.apply(index, given))
    }
  const own: Partial<CallIndex> = {
    append: later(index.append),
    appendFlow: later(index.appendFlow),
    async flush() {
      const all = waiting
      waiting = []
      for (const [i, append] of all.entries()) {
        append()
        if (i % AT_ONCE === AT_ONCE - 1) await index.flush()
      }
      await index.flush()
    },
    async close() {
      if (waiting.length > 0) await own.flush?.()
      await index.close()
    },
  }
  return new Proxy(index, {
    get(_target, name) {
      const value = Reflect.get(own, name) ?? Reflect.get(index, name)
      return typeof value === 'function' && !Object.hasOwn(own, name) ? value.bind(index) : value
    },
  })
}
