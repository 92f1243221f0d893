import { afterEach, expect, test, vi } from 'vitest'
import { processTerminal } from './terminal.ts'

const before = { out: process.stdout.listeners('error'), err: process.stderr.listeners('error') }
afterEach(() => {
  vi.restoreAllMocks()
  for (const [stream, known] of [
    [process.stdout, before.out],
    [process.stderr, before.err],
  ] as const)
    for (const listener of stream.listeners('error'))
      if (!known.includes(listener)) stream.off('error', listener as () => void)
})

test.each([
  ['a reader that has seen enough', 'EPIPE', 0, ''],
  ['a full disk', 'ENOSPC', 1, 'tapdeck: the output cannot be written: no space left on device\n'],
])('%s ends the process without a stack trace', (_, code, status, said) => {
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never)
  let told = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += text
    return true
  })
  processTerminal()
  process.stdout.emit('error', Object.assign(new Error('no space left on device'), { code }))
  expect(exit.mock.calls[0]).toEqual([status])
  if (said !== '') expect(told).toBe(said)
})
