import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { mixedTraffic } from '@tapdeck/parallel/testing'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pcapFile } from '../testing/pcap-file.ts'
import { dissectFiles } from './dissect-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-threads-'))
const outfile = join(folder, 'thread.mjs')

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, 'dissect-program.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  }),
)
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, content: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

async function dissected(files: readonly string[], count: number) {
  const reported: string[] = []
  const { sorter, elapsedMs, ...read } = await dissectFiles(
    files,
    { inventory: { pods: [], services: [] }, kfl: '', now: 1_700_000_000_000, shape: 'full', keyLog: '' },
    { count, entry: pathToFileURL(outfile) },
    {
      progress: () => undefined,
      damaged: (_, reason) => void reported.push(reason),
      fault: (_, error) => void reported.push(error),
    },
  )
  const lines = [...sorter.lines()]
  sorter.close()
  return { lines, reported, ...read, flows: sorter.flows, byProtocol: sorter.byProtocol }
}

test('threads find the same in plain files, in packed ones, in damaged ones and in what is no capture', async () => {
  const [one, two, three] = [1, 2, 3].map((seed) => pcapFile(mixedTraffic(seed, 40)))
  const packed = gzipSync(two!)
  const files = [
    file('one.pcap', one!),
    file('notCapture', Buffer.from('no capture at all')),
    file('notCapture.gz', gzipSync(Buffer.from('nor this'))),
    file('two.pcap.gz', packed.subarray(0, packed.length - 1000)),
    file('three.pcap', three!.subarray(0, three!.length - 7)),
  ]
  const alone = await dissected(files, 1)
  expect(alone.lines.length).toBeGreaterThan(150)
  expect(alone).toMatchObject({
    reported: [expect.stringContaining('ends early')],
    loss: { truncated_file: expect.any(Number) },
  })
  expect(alone.notCaptures).toHaveLength(2)
  for (const threads of [2, 3]) expect(await dissected(files, threads)).toEqual(alone)
})

test('a file that is not there ends the threads, too', async () => {
  const plain = file('plain.pcap', pcapFile(mixedTraffic(4, 5)))
  await expect(dissected([plain, join(folder, 'gone')], 2)).rejects.toThrow('ENOENT')
})
