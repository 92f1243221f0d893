import { expect, test } from 'vitest'
import { encodeAnswer, encodeQuery, questionName } from './dns-message.ts'

test('a question can be read back', () => {
  expect(questionName(encodeQuery(7, 'cart.shop.svc.cluster.local'))).toBe('cart.shop.svc.cluster.local')
})

test('an answer has the identity of its question and the address at its end', () => {
  const answer = encodeAnswer(encodeQuery(0x1234, 'cart.shop'), 'cart.shop', '127.0.10.3')
  expect(answer.readUInt16BE(0)).toBe(0x1234)
  expect(answer[3]! & 15).toBe(0)
  expect([...answer.subarray(-4)]).toEqual([127, 0, 10, 3])
})

test('a name that does not exist is answered with NXDOMAIN and no address', () => {
  const answer = encodeAnswer(encodeQuery(1, 'x'), 'x', undefined)
  expect([answer[3]! & 15, answer.readUInt16BE(6)]).toEqual([3, 0])
})

test('what is no question gets no answer', () => {
  expect(questionName(Buffer.alloc(5))).toBeUndefined()
  expect(questionName(Buffer.alloc(40, 0xff))).toBeUndefined()
})
