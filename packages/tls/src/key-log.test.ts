import { describe, expect, test } from 'vitest'
import { formatKeyLogEntry, parseKeyLog, parseKeyLogLine } from './key-log.ts'
import { KeyStore } from './key-store.ts'

const RANDOM = 'ab'.repeat(32)
const SECRET = '01'.repeat(32)

describe('a key log line', () => {
  test('is read in upper and lower case, with either line ending', () => {
    const line = `CLIENT_TRAFFIC_SECRET_0 ${RANDOM.toUpperCase()} ${SECRET}\r`
    const entry = parseKeyLogLine(line)
    expect(entry?.clientRandom).toBe(RANDOM)
    expect(entry && formatKeyLogEntry(entry)).toBe(`CLIENT_TRAFFIC_SECRET_0 ${RANDOM} ${SECRET}`)
  })

  test.each([
    ['a short random', `CLIENT_RANDOM ${RANDOM.slice(2)} ${SECRET}`],
    ['a secret of an odd number of digits', `CLIENT_RANDOM ${RANDOM} ${SECRET}a`],
    ['a missing field', `CLIENT_RANDOM ${RANDOM}`],
    ['other text after it', `CLIENT_RANDOM ${RANDOM} ${SECRET} x`],
  ])('with %s is skipped and counted', (_, line) => {
    expect(parseKeyLog(`# a comment\n\n${line}\n`)).toEqual({ entries: [], skipped: 1 })
  })
})

test('entries that open no records are ignored', () => {
  expect(parseKeyLog(`EXPORTER_SECRET ${RANDOM} ${SECRET}\n`)).toEqual({ entries: [], skipped: 0 })
})

describe('a key store', () => {
  test('joins the secrets of a connection and writes them again', () => {
    const text = `CLIENT_TRAFFIC_SECRET_0 ${RANDOM} ${SECRET}\nSERVER_TRAFFIC_SECRET_0 ${RANDOM} ${SECRET}\n`
    const store = new KeyStore()
    expect(store.addKeyLog(text)).toBe(2)
    expect(store.size).toBe(1)
    expect(Object.keys(store.secretsOf(RANDOM) ?? {})).toEqual([
      'CLIENT_TRAFFIC_SECRET_0',
      'SERVER_TRAFFIC_SECRET_0',
    ])
    expect(store.toKeyLog()).toBe(text)
    expect(store.toKeyLog(['00'.repeat(32)])).toBe('')
  })

  test('removes the oldest connection at its bound', () => {
    const store = new KeyStore(2)
    const randoms = [1, 2, 3].map((n) => `0${n}`.repeat(32))
    for (const random of randoms) store.addKeyLog(`CLIENT_RANDOM ${random} ${SECRET}`)
    expect(randoms.map((random) => store.secretsOf(random) !== undefined)).toEqual([false, true, true])
    expect(store.evicted).toBe(1)
  })
})
