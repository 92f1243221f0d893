import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENDS_WALK_STATE } from './ends-walk.ts'

const layout: Readonly<Record<string, number>> = ENDS_WALK_STATE

test('each access of ends-walk.wat to the state names its field, at the offset of the layout', () => {
  const source = readFileSync(join(import.meta.dirname, 'ends-walk.wat'), 'utf8')
  const access =
    /\((?:i32|i64|f64)\.(?:load|store)\w*(?:\s+offset=(\d+))?(?: \(;(\w+)(?:\+(\d+))?;\))?\s+\((?:i32\.add \()?local\.get \$(?:state|place)\)/g
  const accesses = [...source.matchAll(access)]
  expect(accesses.length).toBe(14)
  for (const [text, offset = '0', name = '', step = '0'] of accesses)
    expect(Number(offset), text).toBe(layout[name]! + Number(step))
})
