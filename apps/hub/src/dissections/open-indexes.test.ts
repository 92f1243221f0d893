import type { CallIndex } from '@tapdeck/index'
import { expect, it } from 'vitest'
import { OpenIndexes } from './open-indexes.ts'

function repository() {
  const log: string[] = []
  const open = (name: string) => async () => {
    log.push(`open ${name}`)
    return {
      close: async () => void log.push(`close ${name}`),
      release: async () => void log.push(`release ${name}`),
    } as unknown as CallIndex
  }
  return { log, open }
}

it('keeps the ones used last, and closes the others', async () => {
  const { log, open } = repository()
  const indexes = new OpenIndexes(2)
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await indexes.use(name, open(name), async () => 1)
  await indexes.close()
  expect(log.slice(0, 6)).toEqual(['open a', 'open b', 'open c', 'close b', 'open b', 'close c'])
  expect(indexes.size).toBe(0)
})

it('keeps what was read in the memory of those used last; the others stay open and give it back once', async () => {
  const { log, open } = repository()
  const indexes = new OpenIndexes(4, 1)
  for (const name of ['a', 'b', 'b', 'c', 'a'])
    await indexes.use(name, open(name), async () => void log.push(`read ${name}`))
  await new Promise(setImmediate)
  expect(log).toEqual([
    ...['open a', 'read a', 'open b', 'read b', 'release a', 'read b'],
    ...['open c', 'read c', 'release b', 'read a', 'release c'],
  ])
  await indexes.close()
})

it('closes none under a reader, and forgets only after him', async () => {
  const { log, open } = repository()
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

it('aborts long reads when all is closed, and refuses new ones', async () => {
  let broken: (reason: Error) => void = () => undefined
  const reading = new Promise<never>((_, reject) => {
    broken = reject
  })
  const abandon = async () => broken(new Error('The index is closed.'))
  const indexes = new OpenIndexes(1, 1, 10)
  const read = indexes.use(
    'a',
    async () => ({ abandon }) as unknown as CallIndex,
    () => reading,
  )
  const ending = { status: 503, code: 'ending' }
  const rejected = expect(read).rejects.toMatchObject(ending)
  await indexes.close()
  await rejected
  const late = indexes.use('b', repository().open('b'), async () => 1)
  await expect(late).rejects.toMatchObject(ending)
})

it('forgets one that cannot be opened, so that the next one tries again', async () => {
  const { open } = repository()
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
