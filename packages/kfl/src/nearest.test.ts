import { expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)

test.each([
  ['reqest.path', 'request.path'],
  ['request.pth', 'request.path'],
  ['Request.Path', 'request.path'],
  ['statuscode', 'status_code'],
  ['code', 'status'],
  ['source.ip', 'src.ip'],
  ['destination.namespace', 'dst.namespace'],
  ['client.pod', 'src.pod'],
  ['server.port', 'dst.port'],
  ['src_ip', 'src.ip'],
  ['body_size', 'request.body_size'],
  ['retransmissions', 'tcp.retransmissions'],
  ['tcp.retransmission', 'tcp.retransmissions'],
  ['redis.key', 'redis_key'],
  ['dns.questions', 'dns_questions'],
  ['src.namespace.name', 'src.namespace'],
  ['zzzzzzzz', undefined],
  ['constructor', undefined],
])('%s was meant as %s', (name, expected) => {
  expect(catalog.nearest(name)).toBe(expected)
})
