import { expect, it } from 'vitest'
import { pathOf } from './start-line.ts'

it.each([
  ['GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n', '/a'],
  ['GET /a b HTTP/1.1\r\n\r\n', '/a b'],
  ['GET http://shop/a?b HTTP/1.1\r\n\r\n', '/a'],
  ['GET /a&HTTP/1.1\r\nHost: x\r\n\r\n', '/a&HTTP/1.1'],
  ['GET /a\r\n\r\n', '/a'],
  ['GET /a\n\n', '/a'],
  ['GET \r\n\r\n', '/'],
])('the path of %j is %s', (head, path) => {
  expect(pathOf(new TextEncoder().encode(head))).toBe(path)
})
