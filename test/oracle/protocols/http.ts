import type { Mapping } from '../mapping.ts'
import { findAll, firstText, type Shown } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'

const header = (on: 'request' | 'response', name: string, theirs: string) => ({
  on,
  theirs,
  ours: `${on}.headers.${name}`,
})

/** HTTP/1. tshark shows a 1xx as a response of its own; to us it belongs to the one that follows. */
export const http: Mapping = {
  protocol: 'http',
  dissector: 'http',
  read: (packets) =>
    readLayers(packets, 'http', { asked: 'http.request_in', keep: (layer) => isMessage([layer]) }),
  speaks: ['http', 'graphql', 'grpc'],
  takes: ({ call }) => (call.request?.stream_id ?? call.response?.stream_id) === undefined,
  fields: {
    method: { on: 'request', theirs: 'http.request.method', ours: 'request.method' },
    uri: {
      on: 'request',
      theirs: 'http.request.uri',
      ours: ({ call: { request } }) => String(request?.url).replace(/^http:\/\/[^/]*/, ''),
    },
    version: {
      on: 'request',
      theirs: 'http.request.version',
      ours: ({ call }) => `HTTP/${call.request?.http_version}`,
    },
    host: header('request', 'host', 'http.host'),
    user_agent: header('request', 'user-agent', 'http.user_agent'),
    request_type: header('request', 'content-type', 'http.content_type'),
    request_length: header('request', 'content-length', 'http.content_length_header'),
    status: { on: 'response', theirs: 'http.response.code', ours: 'status' },
    reason: { on: 'response', theirs: 'http.response.phrase', ours: 'response.reason' },
    response_version: {
      on: 'response',
      theirs: 'http.response.version',
      ours: ({ call }) => `HTTP/${call.response?.http_version}`,
    },
    server: header('response', 'server', 'http.server'),
    content_type: header('response', 'content-type', 'http.content_type'),
    content_length: header('response', 'content-length', 'http.content_length_header'),
    content_encoding: header('response', 'content-encoding', 'http.content_encoding'),
    transfer_encoding: header('response', 'transfer-encoding', 'http.transfer_encoding'),
    location: header('response', 'location', 'http.location'),
  },
}

/** Pieces of a message that could not be put together have no first line. */
function isMessage(layer: readonly Shown[]): boolean {
  const code = firstText(layer, 'http.response.code')
  if (code !== undefined) return code === '101' || !code.startsWith('1')
  return findAll(layer, 'http.request.method').length > 0
}
