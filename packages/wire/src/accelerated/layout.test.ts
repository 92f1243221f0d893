import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SWEEP_US } from '../sweep-clock.ts'
import { FOREIGN_STATE } from './layout.ts'

/** The layout that each base address of the code points to. */
const bases: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>> = {
  'foreign-packets.wat': { s: FOREIGN_STATE },
}

const constants: Readonly<Record<string, number>> = { SWEEP_US }

/** The value of `A` or `2 * A`. */
function constantValue(expression: string): number {
  const [, factor = '1', name = ''] = /^(?:(\d+) \* )?(.*)$/.exec(expression) ?? []
  if (constants[name] === undefined) throw new Error(`${name} is not a known constant`)
  return Number(factor) * constants[name]
}

describe.each(Object.entries(bases))('%s', (file, layouts) => {
  const source = readFileSync(join(import.meta.dirname, file), 'utf8')
  const access =
    /\((i32|i64|f64)\.(?:load|store)\w*(?: offset=(\d+))?(?: align=\d+)?(?: \(;([^;]*);\))?\s+\(local\.get \$(\w+)\)/g
  const accesses = [...source.matchAll(access)].filter(([, , , , base]) => layouts[base!] !== undefined)

  test('each access to shared memory names its field, at the offset of the layout', () => {
    expect(accesses.length).toBeGreaterThan(8)
    for (const [text, type, offset = '0', name, base] of accesses) {
      expect(name, text).toBeDefined()
      const size = type === 'f64' ? 8 : 4
      expect(Number(offset), text).toBe(layouts[base!]![name!]! * size)
    }
  })

  test('each named constant has the value that TypeScript gives it', () => {
    const named = [...source.matchAll(/\((?:i32|f64)\.const (\S+) \(;([^;]*);\)\)/g)]
    expect(named.length).toBeGreaterThan(0)
    for (const [text, value, expression] of named)
      expect(Number(value), text).toBe(constantValue(expression!))
  })
})
