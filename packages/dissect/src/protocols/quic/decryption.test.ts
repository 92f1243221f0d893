import { KeyStore } from '@tapdeck/tls'
import { expect, test } from 'vitest'
import type { Connection } from '../../contract/dissector.ts'
import { Budget } from '../../memory/budget.ts'
import { QuicDecryption } from './decryption.ts'
import { CLIENT_FRAME } from './testing/published-packets.ts'

test('packets that wait for secrets are counted with what each takes beside its bytes; stubs do not wait', () => {
  const budget = new Budget(1024 * 1024, {})
  const connection: Partial<Connection> = { budget, keys: new KeyStore() }
  const decryption = new QuicDecryption(connection as Connection, () => {})
  // Behind the head of its CRYPTO frame.
  decryption.clientHello(CLIENT_FRAME.subarray(4))
  const send = (length: number) =>
    decryption.packet('application', 0, new Uint8Array(length), { start: 0, number: 1, end: length }, 1)
  for (let i = 0; i < 100; i++) send(20)
  expect(budget.used).toBe(0)
  for (let i = 0; i < 100; i++) send(21)
  expect(budget.used).toBeGreaterThan(100 * 128)
  decryption.finish(1)
  expect(budget.used).toBe(0)
})
