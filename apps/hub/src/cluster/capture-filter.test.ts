import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const told = ({ asked }: FakeWorker) =>
  asked.flatMap((one) => (one.request === 'capture_filter' ? [one.input.expression] : []))

test('a changed filter reaches the workers that are there and those that come, and a wrong one nobody', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-values-'))
  const file = join(folder, 'values.yaml')
  const write = (expression: string) => writeFile(file, `tap:\n  bpfOverride: "${expression}"\n`)
  await write('')
  hub = await startHub({ files: [file] })
  const first = await hub.worker('n1')
  expect(told(first)).toEqual([])
  for (const expression of ['tcp port 80', 'tcp prot 81', '']) {
    await write(expression)
    await hub.reload()
  }
  await until(
    () => told(first),
    (all) => all.length >= 2,
  )
  expect(told(first)).toEqual(['tcp port 80', ''])
  const second = await hub.worker('n2')
  await until(
    () => told(second),
    (all) => all.length > 0,
  )
  expect(told(second)).toEqual([''])
  await rm(folder, { recursive: true })
})
