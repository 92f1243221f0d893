import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CaptureReader } from '@tapdeck/wire'
import { expect, test } from 'vitest'
import { Dissection } from './dissection.ts'
import { packExchange } from './pack/exchange-codec.ts'

const folder = join(import.meta.dirname, 'protocols')
const captures = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /captures.*\.pcap(ng)?$/.test(file),
)

/** An odd size, so that chunk ends split messages in every way. */
const CHUNK = 3001

function calls(file: Uint8Array, lasting: boolean): string[] {
  const found: string[] = []
  const dissection = new Dissection({
    emit: (call) =>
      found.push(
        `${call.flow.id} ${call.ordinal} ${JSON.stringify(call.summary)} ${Buffer.from(packExchange(call)).toString('latin1')}`,
      ),
  })
  const reader = new CaptureReader(dissection, {})
  const reused = new Uint8Array(CHUNK)
  for (let at = 0; at < file.length; at += CHUNK) {
    const chunk = file.slice(at, at + CHUNK)
    if (lasting) reader.push(chunk, true)
    else {
      reused.set(chunk)
      reader.push(reused.subarray(0, chunk.length))
      reused.fill(0xee)
    }
  }
  reader.end()
  dissection.end()
  return found
}

test('calls are the same with and without a stable chunk', () => {
  expect(captures.length).toBeGreaterThan(20)
  for (const capture of captures) {
    const file = new Uint8Array(readFileSync(join(folder, capture)))
    if (file[0] === 0x1f) continue
    expect(calls(file, true), capture).toEqual(calls(file, false))
  }
})
