import type { CallIndex } from '@tapdeck/index'
import { expect, it } from 'vitest'
import { OpenIndexes } from './open-indexes.ts'

function shelf() {
  const log: string[] = []
  const open = (name: string) => async () => {
    log.push(`open ${name}`)
    return { close: async () => void log.push(`close ${name}`) } as unknown as CallIndex
  }
  return { log, open }
}

it('keeps the ones used last, and closes the others', async () => {
  const { log, open } = shelf()
  const indexes = new OpenIndexes(2)
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await indexes.use(name, open(name), async () => 1)
  await indexes.close()
  expect(log.slice(0, 6)).toEqual(['open a', 'open b', 'open c', 'close b', 'open b', 'close c'])
  expect(indexes.size).toBe(0)
})

it('closes none under a reader, and forgets only after him', async () => {
  const { log, open } = shelf()
  const indexes = new OpenIndexes(1)
  let finish = () => {}
  const waiting = new Promise<void>((resolve) => {
    finish = resolve
  })
  const reading = indexes.use('a', open('a'), () => waiting)
  await indexes.use('b', open('b'), async () => 1)
  const forgotten = indexes.forget('a').then(() => log.push('forgotten a'))
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(log).not.toContain('close a')
  finish()
  await Promise.all([reading, forgotten])
  expect(log.slice(-2)).toEqual(['close a', 'forgotten a'])
  await indexes.close()
})

it('forgets one that cannot be opened, so that the next one tries again', async () => {
  const { open } = shelf()
  const indexes = new OpenIndexes()
  const broken = indexes.use(
    'a',
    () => Promise.reject(new Error('gone')),
    async () => 1,
  )
  await expect(broken).rejects.toThrow('gone')
  expect(await indexes.use('a', open('a'), async () => 1)).toBe(1)
  await indexes.close()
})
