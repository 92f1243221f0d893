import { expect, it } from 'vitest'
import type { Connections } from '../evidence.ts'
import { DAWN, evidence, MINUTE, pair } from '../testing/sample-evidence.ts'
import { zeroWindow } from './zero-window.ts'

const AFTER = DAWN + MINUTE + 5000
const find = (more: Partial<Connections>) =>
  zeroWindow(evidence({}, {}, { connections: [pair('a', { zeroWindows: 12, ...more })] }))

it('names the side that closed its window, and when, whichever side got more bytes', () => {
  const [client] = find({ clientZeroWindow: AFTER, requestBytes: 1e6 })
  expect(client).toMatchObject({ kind: 'zero_window', began: AFTER, against: [] })
  expect(client?.what).toMatch(/^web does not read what a sends/)
  expect(find({ serverZeroWindow: AFTER })[0]?.what).toMatch(/^a does not read what web sends/)
})

it('of both sides, the first', () => {
  const [found] = find({ clientZeroWindow: AFTER + 10, serverZeroWindow: AFTER })
  expect(found).toMatchObject({ began: AFTER })
  expect(found?.what).toMatch(/^a does not read/)
  expect(found?.against[0]).toContain('web closed its window too')
})

it('infers the side where it is not recorded, and says so', () => {
  expect(find({})[0]?.what).toMatch(/^web does not read/)
  expect(find({ requestBytes: 1e6 })[0]?.against[0]).toContain('inferred')
})

it('one that began before the change is a note, and a single zero window is nothing', () => {
  expect(find({ clientZeroWindow: DAWN + 5000 })[0]?.score).toBeLessThan(45)
  expect(find({ zeroWindows: 1, clientZeroWindow: AFTER })).toEqual([])
})
