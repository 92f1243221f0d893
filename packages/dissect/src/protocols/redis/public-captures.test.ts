import { existsSync, readFileSync } from 'node:fs'
import { CaptureReader } from '@tapdeck/wire'
import { describe, expect, it } from 'vitest'
import { Dissection } from '../../dissection.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/', import.meta.url)

/** What tshark 4.0 says of them, told that port 6380 speaks RESP. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'redis_one_transaction.pcap': ['LINDEX test OK'],
  'redis_session.pcap': [
    'SET key3 OK',
    'GET key3 OK',
    'LLEN key3 ERR',
    'LPUSH test OK',
    'LPUSH test OK',
    'LPUSH test OK',
    'LLEN test OK',
    'LINDEX test OK',
    'LINDEX test OK',
    'LINDEX test OK',
    'LINDEX test OK',
  ],
}

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(Object.entries(EXPECTED))('%s gives every call', (name, expected) => {
    const calls: string[] = []
    const dissection = new Dissection({
      emit: ({ summary: { method, path, status } }) => calls.push(`${method} ${path} ${status}`),
    })
    const reader = new CaptureReader(dissection, dissection.loss)
    reader.push(new Uint8Array(readFileSync(new URL(name, folder))))
    reader.end()
    dissection.end()
    expect(calls).toEqual(expected)
  })
})
