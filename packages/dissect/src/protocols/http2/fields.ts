import type { Fields } from '../../contract/dissector.ts'

/** What HTTP/2 adds to the fields of HTTP. */
export const fields = {
  http2_stream: {
    type: 'integer',
    path: 'request.stream_id',
    doc: 'Number of the HTTP/2 stream',
    example: 'http2_stream == 1',
  },
  http2_reset: {
    type: 'string',
    path: 'response.reset',
    doc: 'Why a stream was cut off: CANCEL, REFUSED_STREAM, GOAWAY NO_ERROR …',
    example: 'http2_reset == "REFUSED_STREAM"',
  },
  http2_reset_by: {
    type: 'string',
    path: 'response.reset_by',
    doc: 'Who cut it off: client or server',
    example: 'http2_reset_by == "server"',
  },
  http2_pushed: {
    type: 'boolean',
    path: 'request.pushed',
    doc: 'The server answered before it was asked',
    example: 'http2_pushed',
  },
  sse_events: {
    type: 'integer',
    path: 'response.events',
    doc: 'Server-sent events in what is kept of the body',
    example: 'sse_events > 10',
  },
} as const satisfies Fields
