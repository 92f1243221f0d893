import { expect, test } from 'vitest'
import { grpcMessages, readProtobuf } from './protobuf.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

test('the messages of a gRPC stream are read without their schema', () => {
  const messages = grpcMessages(fromBase64('AAAAAAUKA3RlYQAAAAAGCgRtaWxrAAAAAAcKBXN1Z2Fy'))
  expect(messages?.map((message) => readProtobuf(message))).toEqual([
    [{ number: 1, value: 'tea' }],
    [{ number: 1, value: 'milk' }],
    [{ number: 1, value: 'sugar' }],
  ])
})

test('numbers, floats, messages inside and plain bytes are distinguished', () => {
  expect(readProtobuf(bytes(0x08, 0x96, 0x01))).toEqual([{ number: 1, value: 150 }])
  expect(readProtobuf(bytes(0x15, 0, 0, 0x80, 0x3f))).toEqual([{ number: 2, value: 1 }])
  expect(readProtobuf(bytes(0x1a, 0x03, 0x08, 0x96, 0x01))).toEqual([
    { number: 3, value: [{ number: 1, value: 150 }] },
  ])
  expect(readProtobuf(bytes(0x0a, 0x02, 0xff, 0xfe))).toEqual([{ number: 1, value: bytes(0xff, 0xfe) }])
  expect(readProtobuf(bytes())).toEqual([])
})

test('what is not a message is none, wherever it is cut', () => {
  const message = bytes(0x0a, 0x03, 0x74, 0x65, 0x61, 0x10, 0x96, 0x01)
  for (let length = 1; length < message.length; length++)
    if (length !== 5) expect(readProtobuf(message.subarray(0, length))).toBeUndefined()
  expect(readProtobuf(bytes(0x00, 0x01))).toBeUndefined()
  expect(readProtobuf(bytes(0x0b))).toBeUndefined()
  expect(grpcMessages(bytes(0, 0, 0, 0, 9, 1))).toBeUndefined()
  expect(grpcMessages(bytes(7, 0, 0, 0, 0))).toBeUndefined()
})

test('a message inside of messages inside does not go on without end', () => {
  let message = bytes(0x08, 0x01)
  for (let depth = 0; depth < 60; depth++) message = bytes(0x0a, message.length, ...message)
  expect(readProtobuf(message)).toBeDefined()
  expect(readProtobuf(new Uint8Array(60_000).fill(0x08))).toBeUndefined()
})
