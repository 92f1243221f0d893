import { expect, test } from 'vitest'
import { importName, importPlan } from './import-plan.ts'

test('each file becomes a node, in one import', () => {
  expect(importPlan(['a.pcap.gz', 'b c.pcapng', 'a.pcap'])).toEqual([
    { file: 'a.pcap.gz', node: 'a', more: 'true' },
    { file: 'b c.pcapng', node: 'b-c', append: 'true', more: 'true' },
    { file: 'a.pcap', node: 'a-2', append: 'true' },
  ])
  expect(importPlan(['only.pcap'])).toEqual([{ file: 'only.pcap', node: 'only' }])
})

test('the snapshot is named like the first file, and the name is free', () => {
  expect(importName('Incident 7.pcapng.gz', [])).toBe('incident-7')
  expect(importName('incident-7.pcap', ['incident-7'])).toBe('incident-7-2')
  expect(importName('--.pcap', [])).toBe('import')
})
