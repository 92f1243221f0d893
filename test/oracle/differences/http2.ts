import { explain, NONE } from '../explain.ts'

export const http2 = [
  ...explain(
    'http2',
    'grpc/calls',
    'The trailers of gRPC-Web stand in the body; tshark does not look there.',
    ['grpc_status', '0', NONE],
  ),
  ...explain('http2', 'http2/goaway', 'To us a stream that GOAWAY cut off has an answer that says so.', [
    'message',
    'response http',
    NONE,
    2,
  ]),
  ...explain(
    'http2',
    'http2/nghttpd',
    'A pushed stream: to us PUSH_PROMISE is the request that the server answers before it is asked.',
    ['message', 'request http GET /style.css', NONE],
  ),
  ...explain('http2', 'http2/node', 'To us a stream that was reset has an answer that says so.', [
    'message',
    'response http',
    NONE,
    2,
  ]),
]
