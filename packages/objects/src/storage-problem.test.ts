import { expect, test, vi } from 'vitest'
import { StorageProblem } from './storage-problem.ts'

test('a problem of another copy of the module is one too', async () => {
  vi.resetModules()
  const copy = await import('./storage-problem.ts')
  expect(copy.StorageProblem).not.toBe(StorageProblem)
  expect(new copy.StorageProblem('exists', 'taken')).toBeInstanceOf(StorageProblem)
  expect(new Error('taken')).not.toBeInstanceOf(StorageProblem)
  expect('exists').not.toBeInstanceOf(StorageProblem)
})
