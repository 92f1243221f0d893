import { expect, test } from 'vitest'
import { nodeConditions, withoutWorker } from './node-state.ts'

const node = {
  name: 'n1',
  connected: true,
  version: '1.0.0',
  indexing: true,
  capture: { active: true, interfaces: ['eth0', 'lo'] },
  recorder: { recording: true },
  packets_captured: 1,
  packets_dissected: 1,
  calls: 1,
  loss: {},
}
const texts = (...given: Parameters<typeof nodeConditions>) =>
  nodeConditions(...given).map(({ tone, text, reason }) => `${tone}: ${text} ${reason ?? ''}`.trim())

test('a node that works says what it does', () => {
  expect(texts(node, true)).toEqual(['good: captures On eth0, lo.', 'good: records', 'good: indexes'])
})

test('a node that is not connected has the reason of the cluster, and one that never was is listed', () => {
  const gone = { ...node, connected: false }
  expect(texts(gone, true)).toEqual(['bad: not connected Its traffic is missing until it is back.'])
  const missing = [
    { name: 'n1', reason: 'its pod is being deleted' },
    { name: 'n2', reason: 'no worker has connected' },
  ]
  expect(texts(gone, true, missing[0]!.reason)).toEqual(['bad: not connected its pod is being deleted'])
  expect(withoutWorker([gone], missing)).toEqual([missing[1]])
  expect(withoutWorker([gone])).toEqual([])
})

test('what is off has its reason', () => {
  const off = {
    ...node,
    indexing: false,
    capture: { active: false, reason: 'CAP_NET_RAW is missing', interfaces: [] },
    recorder: { recording: false, reason: 'the disk is full' },
  }
  expect(texts(off, false)).toEqual([
    'bad: does not capture CAP_NET_RAW is missing',
    'bad: does not record the disk is full',
    'warn: does not index Traffic indexing is paused.',
  ])
  const slow = { ...node, indexing: false, indexer: { paused: true as const, reason: 'memory limit' } }
  expect(texts(slow, true)[2]).toBe('warn: does not index memory limit')
})

test('missing TLS keys are a warning with their reason', () => {
  const log = { bytes: 0, held: 0, written: 0, waiting: 0, refused: 0, locked: 0, damaged: 0, evicted: 0 }
  const counts = { secrets: 0, bad_lines: 0, files: 0, probes: 0, hits: 0, hits_per_second: 0, missed: 0 }
  const keys = { ...counts, learning_failures: 0, over_budget: 0, log }
  expect(texts({ ...node, tls_keys: keys }, true)).toHaveLength(3)
  const tls_keys = { ...keys, reason: 'CAP_BPF is missing' }
  expect(texts({ ...node, tls_keys }, true)[3]).toBe('warn: misses TLS keys CAP_BPF is missing')
})

test('of a node that is away nothing else is said', () => {
  expect(texts({ ...node, connected: false }, true)).toEqual([
    'bad: not connected Its traffic is missing until it is back.',
  ])
})
