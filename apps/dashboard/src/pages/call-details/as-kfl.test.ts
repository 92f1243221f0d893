import { expect, test } from 'vitest'
import { asKfl } from './as-kfl.ts'

const fields = [
  { name: 'proto', path: 'proto', type: 'string' },
  { name: 'dst.svc', path: 'dst.svc', type: 'string' },
  { name: 'request.method', path: 'method', type: 'string' },
  { name: 'request.path', path: 'path', type: 'string' },
  { name: 'response.status', path: 'status', type: 'status' },
] as const

test('a call as a filter has its protocol, ends, method, path and status', () => {
  const call = {
    id: 'a/1/0',
    ts: 1,
    src: { ip: '10.0.0.1', port: 1 },
    dst: { ip: '10.0.0.2', port: 80, svc: 'cart' },
    proto: 'http',
    method: 'GET',
    path: '/a "b"',
    status: 500,
  }
  expect(asKfl(call, fields)).toBe(
    'proto == "http" and dst.svc == "cart" and request.method == "GET" and request.path == "/a \\"b\\"" and response.status == 500',
  )
})
