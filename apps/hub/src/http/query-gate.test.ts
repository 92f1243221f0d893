import { expect, it } from 'vitest'
import { QueryGate } from './query-gate.ts'

it('lets each caller have so many under way, in order, and others go on beside', async () => {
  const gate = new QueryGate(2)
  const finish: (() => void)[] = []
  const begun: string[] = []
  const start = (key: string, name: string) =>
    gate.run(key, () => {
      begun.push(name)
      return new Promise<void>((resolve) => finish.push(resolve))
    })
  const all = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('b', 'b1')]
  await Promise.resolve()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  finish[0]!()
  await all[0]
  await new Promise(setImmediate)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
  for (const one of finish.splice(0)) one()
  await new Promise(setImmediate)
  for (const one of finish.splice(0)) one()
  await Promise.all(all)
})

it('gives the place back after a failure, and refuses what would wait too long', async () => {
  const gate = new QueryGate(1)
  await expect(gate.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await gate.run('a', async () => 1)).toBe(1)
  let release = () => {}
  const busy = gate.run('a', () => new Promise<void>((resolve) => (release = resolve)))
  const waiting = Array.from({ length: 512 }, () => gate.run('a', async () => 1))
  await expect(gate.run('a', async () => 1)).rejects.toMatchObject({ status: 429 })
  expect(gate.refused).toBe(1)
  release()
  await busy
  expect(await Promise.all(waiting)).toHaveLength(512)
})
