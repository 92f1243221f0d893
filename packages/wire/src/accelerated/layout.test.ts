import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as counters from '../flows/flow-counter-table.ts'
import { TOUCH_US } from '../flows/flow-table.ts'
import { SWEEP_US } from '../sweep-clock.ts'
import { MAX_TIMED } from '../tcp/round-trips.ts'
import { SEEN } from '../tcp/tcp-flags.ts'
import * as row from '../tcp/tcp-row.ts'
import { CONNECTION_ENTRY, FOREIGN_STATE, SEGMENT_STATE } from './layout.ts'

type Layout = Readonly<Record<string, unknown>>

/** The layout that each base address of the code points to. */
const bases: Readonly<Record<string, Readonly<Record<string, Layout>>>> = {
  'plain-segments.wat': {
    s: SEGMENT_STATE,
    entry: CONNECTION_ENTRY,
    from: { ...counters, ...row },
    to: { ...counters, ...row },
    both: { ...counters, ...row },
  },
  'foreign-packets.wat': { s: FOREIGN_STATE },
}

const constants: Readonly<Record<string, number>> = {
  ...Object.fromEntries(Object.entries(row).filter(([, value]) => typeof value === 'number')),
  END_BYTES: row.END_WORDS * 8,
  BOTH_BYTES: row.END_WORDS * 16,
  SEEN_ACK: SEEN.ack,
  SEEN_DATA: SEEN.data,
  MAX_TIMED,
  SWEEP_US,
  TOUCH_US,
}

/** `NEXT`, or `KEY+1` for the second word of `KEY`. */
function wordOf(layout: Layout, name: string): number {
  const [key, step = '0'] = name.split('+')
  const value = layout[key!]
  if (typeof value !== 'number') throw new Error(`${name} is not in the layout`)
  return value + Number(step)
}

/** The value of `A | B`, `~(A | B)` or `2 * A`. */
function constantValue(expression: string): number {
  const inverted = /^~\((.*)\)$/.exec(expression)
  if (inverted) return ~constantValue(inverted[1]!)
  const [, factor = '1', names = ''] = /^(?:(\d+) \* )?(.*)$/.exec(expression) ?? []
  const values = names.split(' | ').map((name) => {
    if (constants[name] === undefined) throw new Error(`${name} is not a known constant`)
    return constants[name]
  })
  return Number(factor) * values.reduce((sum, value) => sum | value, 0)
}

describe.each(Object.entries(bases))('%s', (file, layouts) => {
  const source = readFileSync(join(import.meta.dirname, file), 'utf8')
  const access =
    /\((i32|i64|f64)\.(?:load|store)\w*(?: offset=(\d+))?(?: align=\d+)?(?: \(;([^;]*);\))?\s+\(local\.get \$(\w+)\)/g
  const accesses = [...source.matchAll(access)].filter(([, , , , base]) => layouts[base!] !== undefined)

  test('each access to shared memory names its field, at the offset of the layout', () => {
    expect(accesses.length).toBeGreaterThan(10)
    for (const [text, type, offset = '0', name, base] of accesses) {
      expect(name, text).toBeDefined()
      const size = type === 'f64' ? 8 : 4
      expect(Number(offset), text).toBe(wordOf(layouts[base!]!, name!) * size)
    }
  })

  test('each named constant has the value that TypeScript gives it', () => {
    const named = [...source.matchAll(/\((?:i32|f64)\.const (\S+) \(;([^;]*);\)\)/g)]
    expect(named.length).toBeGreaterThan(0)
    for (const [text, value, expression] of named)
      expect(Number(value), text).toBe(constantValue(expression!))
  })
})
