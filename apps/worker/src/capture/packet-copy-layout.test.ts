import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PACKET_COPY_STATE } from './packet-copy.ts'

const layout: Readonly<Record<string, number>> = PACKET_COPY_STATE

test('each access of packet-copy.wat to the state names its field, at the offset of the layout', () => {
  const source = readFileSync(join(import.meta.dirname, 'packet-copy.wat'), 'utf8')
  const access =
    /\((?:i32|i64|f64)\.(?:load|store)\w*(?:\s+offset=(\d+))?(?: \(;(\w+)(?:\+(\d+))?;\))?\s+\((?:i32\.add \()?local\.get \$(?:state|known)\)/g
  const accesses = [...source.matchAll(access)]
  expect(accesses.length).toBe(15)
  for (const [text, offset = '0', name = '', step = '0'] of accesses)
    expect(Number(offset), text).toBe(layout[name]! + Number(step))
})
