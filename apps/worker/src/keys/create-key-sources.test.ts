import { expect, it } from 'vitest'
import { createKeySources } from './create-key-sources.ts'
import { KeyLogFileSource } from './key-log-file-source.ts'
import { ProcessKeySource } from './process-key-source.ts'

const off = {
  enabled: false,
  keyLogFiles: ['/nowhere'],
  processes: '.*',
  namespaces: ['shop'],
  regex: '.*',
  maxHitsPerSecond: 1,
  podAt: () => undefined,
}

it('has no source unless it is enabled and something is selected', () => {
  expect(createKeySources(off)).toEqual([])
  const on = { ...off, enabled: true }
  expect(createKeySources({ ...on, keyLogFiles: [], processes: '', namespaces: [] })).toEqual([])
  const [files, processes] = createKeySources(on)
  expect(files).toBeInstanceOf(KeyLogFileSource)
  expect(processes).toBeInstanceOf(ProcessKeySource)
})
