import { expect, it } from 'vitest'
import { Sessions } from './sessions.ts'

const who = { kind: 'oidc', name: 'ada', groups: ['devs'] } as const

it('ends when it is idle, and at its end in any case', () => {
  const sessions = new Sessions(100, 250)
  const secret = sessions.open(who, 0)
  expect(sessions.find(secret, 99)?.who).toEqual(who)
  expect(sessions.find(secret, 198)?.who).toEqual(who)
  expect(sessions.find(secret, 249)?.who).toEqual(who)
  expect(sessions.find(secret, 250)).toBeUndefined()
  const idle = sessions.open(who, 0)
  expect(sessions.find(idle, 100)).toBeUndefined()
  expect(sessions.size).toBe(0)
})

it('is known by its secret only, and its key opens nothing', () => {
  const sessions = new Sessions(100, 100)
  const secret = sessions.open(who, 0)
  const { key } = sessions.find(secret, 1)!
  expect(key).not.toContain(secret)
  expect(sessions.find(key, 1)).toBeUndefined()
  expect(sessions.holds(key, 1)).toBe(true)
  sessions.close(secret)
  expect(sessions.holds(key, 1)).toBe(false)
})

it('has room for so many of one, and so many of all; the oldest make room', () => {
  const sessions = new Sessions(1e9, 1e9)
  const first = sessions.open(who, 0)
  const other = sessions.open({ ...who, name: 'bob' }, 0)
  for (let count = 0; count < 60; count++) sessions.open(who, 1)
  expect(sessions.find(first, 2)).toBeUndefined()
  expect(sessions.find(other, 2)).toBeDefined()
  expect(sessions.size).toBe(51)
  for (let count = 0; count < 10_050; count++) sessions.open({ ...who, name: `u${count}` }, 3)
  expect(sessions.size).toBe(10_000)
})
