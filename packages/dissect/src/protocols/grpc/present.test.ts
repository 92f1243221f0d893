import { describe, expect, it } from 'vitest'
import type { Message } from '../../contract/message.ts'
import { present, summarize } from './present.ts'
import { timeoutMs } from './timeout.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const request: Message = {
  kind: 'request',
  key: 1,
  head: bytes('POST /shop.v1.Carts/Get HTTP/2\r\ncontent-type: application/grpc\r\ngrpc-timeout: 1500u\r\n'),
  fields: { messages: 1 },
}
const answered = (more: Partial<Message>, head = 'HTTP/2 200\r\ncontent-type: application/grpc\r\n') => ({
  protocol: 'grpc',
  request,
  response: { kind: 'response', key: 1, head: bytes(head), ...more } as const,
})

describe('a gRPC call', () => {
  it('is named by its path', () => {
    expect(summarize(answered({ fields: { trailers: 'grpc-status: 0\r\n' } }))).toEqual({
      method: 'Get',
      path: '/shop.v1.Carts/Get',
      status: 200,
    })
    expect(summarize({ protocol: 'grpc', request })).toEqual({ method: 'Get', path: '/shop.v1.Carts/Get' })
  })

  it('fails by its trailers', () => {
    const exchange = answered({
      fields: {
        trailers: 'x: y\r\ngrpc-status: 14\r\ngrpc-message: gone%2C %E2%9C%93 100%\r\n',
        messages: 3,
      },
    })
    expect(summarize(exchange).failure).toBe('UNAVAILABLE: gone%2C %E2%9C%93 100%')
    expect(present(exchange).own).toMatchObject({
      service: 'shop.v1.Carts',
      method: 'Get',
      status: 14,
      status_name: 'UNAVAILABLE',
      request_messages: 1,
      response_messages: 3,
      kind: 'server_streaming',
      timeout_ms: 1.5,
    })
  })

  it('fails by its head where that is all there is', () => {
    const exchange = answered({}, 'HTTP/2 200\r\ngrpc-status: 16\r\ngrpc-message: who%3F\r\n')
    expect(summarize(exchange)).toMatchObject({ status: 200, failure: 'UNAUTHENTICATED: who?' })
    expect(present(exchange).response).toMatchObject({ grpc_status: 16 })
  })

  it('fails by HTTP where no status is given, and by a reset', () => {
    expect(summarize(answered({}, 'HTTP/2 502\r\n')).failure).toBe('502')
    expect(summarize(answered({ fields: { reset: 'CANCEL' } })).failure).toBe('stream reset: CANCEL')
    expect(present(answered({ fields: { reset: 'CANCEL' } })).own).not.toHaveProperty('status')
  })

  it('has an unknown status', () => {
    expect(summarize(answered({ fields: { trailers: 'grpc-status: 99\r\n' } })).failure).toBe('status 99')
    expect(summarize(answered({ fields: { trailers: 'grpc-status: x\r\n' } })).failure).toBeUndefined()
  })
})

describe('a timeout', () => {
  it.each([
    ['1H', 3_600_000],
    ['2M', 120_000],
    ['3S', 3000],
    ['250m', 250],
    ['10u', 0.01],
    ['99999999n', 99.999999],
    ['123456789S', undefined],
    ['1s', undefined],
  ])('%s', (text, expected) => expect(timeoutMs(text)).toBe(expected))
})
