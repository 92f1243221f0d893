import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mixedTraffic } from '@tapdeck/parallel/testing'
import { CaptureReader, type Loss, sumLoss } from '@tapdeck/wire'
import { trials } from '@tapdeck/wire/testing'
import { describe, expect, test } from 'vitest'
import { pcapFile } from '../testing/pcap-file.ts'
import type { CallBatch } from './call-batch.ts'
import { CallSorter } from './call-sorter.ts'
import { CaptureSequence } from './capture-sequence.ts'
import { type DissectSettings, DissectWork } from './dissect-work.ts'
import { compileFilter } from './filter-option.ts'

const everything: DissectSettings = {
  inventory: { pods: [{ name: 'web', namespace: 'shop', ips: ['10.1.0.2'] }], services: [] },
  kfl: '',
  now: 1_700_000_000_000,
  shape: 'full',
  keyLog: '',
}

interface Seen {
  readonly lines: string
  readonly summary: object
}

/** Files → lines, by one, or by several of which each reads them all. Batches come in an order that no clock decides. */
function dissected(
  files: readonly Uint8Array[],
  shards: number,
  settings = everything,
  chunkSize = 100_000,
): Seen {
  const sorter = new CallSorter(compileFilter(settings.kfl, settings.now), settings.shape)
  const loss: Loss = {}
  const batches: [CallBatch, number][] = []
  const faults: string[] = []
  const counts = Array.from({ length: shards }, (_, index) => {
    const work = new DissectWork(
      settings,
      { batch: (batch) => void batches.push([batch, index]), fault: (_, error) => void faults.push(error) },
      shards === 1 ? undefined : { index, count: shards },
    )
    const sequence = new CaptureSequence(work)
    for (const file of files) {
      sequence.nextFile()
      const reader = new CaptureReader(sequence, index === 0 ? loss : {})
      for (let at = 0; at < file.length; at += chunkSize) {
        // A reader that keeps a view of reused memory sees this.
        const chunk = new Uint8Array(file.subarray(at, at + chunkSize))
        reader.push(chunk)
        chunk.fill(0xaa)
      }
      reader.end()
    }
    return work.finish()
  })
  for (const [batch, shard] of batches) sorter.add(batch, shard)
  for (const { flows, byProtocol } of counts) sorter.count(flows, byProtocol)
  let lines = ''
  for (const page of sorter.pages()) lines += page.toString()
  const { flows, byProtocol } = sorter
  sorter.close()
  return {
    lines,
    summary: { flows, byProtocol, loss: sumLoss([loss, ...counts.map((one) => one.loss)]), faults },
  }
}

function expectSame(files: readonly Uint8Array[], settings?: DissectSettings, chunkSize?: number): Seen {
  const alone = dissected(files, 1, settings, chunkSize)
  for (const shards of [3, 2, 7].slice(0, trials(3, 1))) {
    const shared = dissected(files, shards, settings, chunkSize)
    expect(shared.summary, `${shards} shards`).toEqual(alone.summary)
    expect(shared.lines === alone.lines || shared.lines.split('\n'), `${shards} shards`).toEqual(
      shared.lines === alone.lines || alone.lines.split('\n'),
    )
  }
  return alone
}

describe('any number of shards gives the same lines and the same counts', () => {
  test.each([1, 2, 3])('for mixed traffic %i', (seed) => {
    const { lines, summary } = expectSame([pcapFile(mixedTraffic(seed, 80))])
    expect(lines.split('\n').length).toBeGreaterThan(100)
    expect(summary).toMatchObject({ faults: [], loss: { cut_packets: expect.any(Number) } })
  })

  test('where one of them has the DNS answers and another the connections to the answered addresses', () => {
    for (let seed = 1; seed <= trials(40, 4); seed++) expectSame([pcapFile(mixedTraffic(seed, 8))])
  })

  test('however the file is cut into chunks', () => {
    const file = pcapFile(mixedTraffic(6, 30))
    for (const chunkSize of [313, 50_001]) expectSame([file], everything, chunkSize)
  })

  test('for several files, of which one begins anew', () => {
    const packets = mixedTraffic(7, 40)
    const half = packets.length >> 1
    const later = packets.map((packet) => ({ ...packet, time: packet.time + 3_600_000_000 }))
    expectSame([pcapFile(packets.slice(0, half)), pcapFile(packets.slice(half)), pcapFile(later)])
  })

  test.each(['http', 'tcp.retransmissions >= 0 && status == 500', 'flow_state == "closed"', 'dns'])(
    'with the filter %s',
    (kfl) => {
      const { lines } = expectSame([pcapFile(mixedTraffic(8, 50))], { ...everything, kfl })
      expect(lines).not.toBe('')
    },
  )

  test('for rows of a table, and for counts alone', () => {
    const file = pcapFile(mixedTraffic(9, 30))
    expectSame([file], { ...everything, shape: 'compact' })
    expect(expectSame([file], { ...everything, shape: 'none' }).lines).toBe('')
  })

  test('for every capture of every protocol', () => {
    const folder = join(import.meta.dirname, '../../../../packages/dissect/src/protocols')
    const captures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.pcap'),
    )
    expect(captures.length).toBeGreaterThan(20)
    expectSame(captures.map((name) => new Uint8Array(readFileSync(join(folder, name)))))
  })
})

test('an address has the name of a DNS answer before the call, and none before that', () => {
  const { lines } = dissected([pcapFile(mixedTraffic(1, 80))], 2)
  const calls = lines
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { ts: number; dst: { ip: string; dns?: string } })
  const first = calls.findIndex(({ dst }) => dst.dns !== undefined)
  expect(first).toBeGreaterThan(0)
  expect(calls[first]!.dst.dns).toMatch(/^svc-\d\.shop$/)
})
