import { expect, test } from 'vitest'
import { nodeNames } from './import.ts'

test('each file becomes a node of its own name', () => {
  expect(nodeNames(['/tmp/node-a.pcap', 'node b.pcapng.gz', '-'], undefined)).toEqual([
    'node-a',
    'node-b',
    'import',
  ])
})

test('names that would be the same are numbered', () => {
  expect(nodeNames(['a/x.pcap', 'b/x.pcap', 'c/x.cap'], undefined)).toEqual(['x', 'x-2', 'x-3'])
  expect(nodeNames(['a', 'b'], 'edge')).toEqual(['edge', 'edge-2'])
})
