import type { Mapping } from '../mapping.ts'
import type { OurMessage, TheirMessage } from '../message.ts'
import { findAll, firstText, type Shown } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'

const DATA = '0'
const HEADERS = '1'
const CONTINUATION = '9'

const header = (on: 'request' | 'response', name: string) => ({
  on,
  theirs: headerOf(name),
  ours: `${on}.headers.${name}`,
})

/** All frames of one side of a stream are one message. What belongs together says the number of the stream. */
export const http2: Mapping = {
  protocol: 'http2',
  dissector: 'http2',
  read: (packets) => {
    const messages = new Map<string, TheirMessage>()
    const frames = readLayers(packets, 'http2', {
      split: ({ children }) => children.filter(({ name }) => name === 'http2.stream'),
      keep: (frame) => [DATA, HEADERS, CONTINUATION].includes(firstText([frame], 'http2.type') ?? ''),
      key: (frame) => firstText([frame], 'http2.streamid'),
    })
    for (const frame of frames) {
      const place = `${frame.flow}|${frame.from}|${frame.key}`
      const before = messages.get(place)
      messages.set(
        place,
        before === undefined ? frame : { ...before, nodes: [...before.nodes, ...frame.nodes] },
      )
    }
    return [...messages.values()]
  },
  inOrder: true,
  speaks: ['http', 'graphql', 'grpc'],
  // The request that asked for the upgrade is HTTP/1.
  takes: ({ is, call: { request, response } }) =>
    (request?.stream_id ?? response?.stream_id) !== undefined &&
    (is === 'response' || request?.http_version === '2'),
  key: ({ call }: OurMessage) => String(call.request?.stream_id ?? call.response?.stream_id),
  fields: {
    method: { on: 'request', theirs: headerOf(':method'), ours: 'request.method' },
    path: {
      on: 'request',
      theirs: headerOf(':path'),
      ours: ({ call: { request } }) => String(request?.url).replace(/^https?:\/\/[^/]*/, ''),
    },
    authority: header('request', ':authority'),
    scheme: header('request', ':scheme'),
    user_agent: header('request', 'user-agent'),
    request_type: header('request', 'content-type'),
    request_length: header('request', 'content-length'),
    request_body: { on: 'request', theirs: bodySize, ours: 'request.body_size' },
    grpc_timeout: header('request', 'grpc-timeout'),
    status: { on: 'response', theirs: headerOf(':status'), ours: 'status' },
    content_type: header('response', 'content-type'),
    content_length: header('response', 'content-length'),
    content_encoding: header('response', 'content-encoding'),
    server: header('response', 'server'),
    response_body: { on: 'response', theirs: bodySize, ours: 'response.body_size' },
    grpc_status: { on: 'response', theirs: headerOf('grpc-status'), ours: 'grpc.status' },
  },
}

function headerOf(name: string) {
  return (nodes: readonly Shown[]) => {
    const values = findAll(nodes, 'http2.header')
      .filter((one) => firstText([one], 'http2.header.name') === name)
      .map((one) => firstText([one], 'http2.header.value') ?? '')
    // A 1xx before the status that counts.
    return values.at(-1)
  }
}

function bodySize(nodes: readonly Shown[]): string {
  return String(
    nodes
      .filter((frame) => firstText([frame], 'http2.type') === DATA)
      .map((frame) => Number(firstText([frame], 'http2.length')) - padding(frame))
      .reduce((sum, size) => sum + size, 0),
  )
}

function padding(frame: Shown): number {
  const padded = firstText([frame], 'http2.flags.padded') === '1'
  return padded ? Number(firstText([frame], 'http2.pad_length')) + 1 : 0
}
