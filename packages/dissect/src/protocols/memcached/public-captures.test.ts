import { existsSync, readFileSync } from 'node:fs'
import { CaptureReader } from '@tapdeck/wire'
import { describe, expect, it } from 'vitest'
import { Dissection } from '../../dissection.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/memcache/', import.meta.url)

/**
 * What tshark 4.0 says of those over TCP. It knows no datagram header and sees only continuations in those over UDP:
 * what we see there are the commands that their bytes spell, all quiet.
 */
const EXPECTED: Readonly<Record<string, string>> = {
  bin_tcp_counter_ops: 'set cnt OK, increment cnt OK, decrement cnt OK, getk cnt OK, quit OK',
  bin_tcp_delete: 'set key OK, delete key OK, getk key KEY_NOT_FOUND, quit OK',
  bin_tcp_multi_store_load:
    'set k3 OK, set k2 OK, set k1 OK, getkq x KEY_NOT_FOUND, getkq k1 OK, getkq k2 OK, getkq k3 OK, getkq y KEY_NOT_FOUND, noop OK, quit OK',
  bin_tcp_single_load_store: 'set test_key OK, getk test_key OK, quit OK',
  bin_tcp_stats: 'set key OK, getk key OK, stat OK, quit OK',
  bin_udp_counter_ops: 'setq cnt, incrementq cnt, decrementq cnt',
  bin_udp_delete: 'setq key, deleteq key',
  bin_udp_multi_store: 'setq k3, setq k2, setq k1',
  bin_udp_single_store: 'setq test_key',
  text_tcp_counter_ops: 'set cnt STORED, incr cnt OK, decr cnt OK, get cnt VALUE, quit',
  text_tcp_delete: 'set key STORED, delete key DELETED, get key END, quit',
  text_tcp_multi_store_load: 'set k3 STORED, set k2 STORED, set k1 STORED, get x VALUE, quit',
  text_tcp_single_load_store: 'set test_key STORED, get test_key VALUE, quit',
  text_tcp_stats: 'set key STORED, get key VALUE, stats STAT, quit',
  text_udp_counter_ops: 'set cnt, incr cnt, decr cnt',
  text_udp_delete: 'set key, delete key',
  text_udp_multi_store: 'set k3, set k2, set k1',
  text_udp_single_store: 'set test_key',
}

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(Object.entries(EXPECTED))('memcache_%s.pcap gives every call', (name, expected) => {
    const calls: string[] = []
    const dissection = new Dissection({
      emit: ({ summary: { method, path, status } }) =>
        calls.push([method, path, status].filter((part) => part !== undefined).join(' ')),
    })
    const reader = new CaptureReader(dissection, dissection.loss)
    reader.push(new Uint8Array(readFileSync(new URL(`memcache_${name}.pcap`, folder))))
    reader.end()
    dissection.end()
    expect(calls.join(', ')).toBe(expected)
  })
})
