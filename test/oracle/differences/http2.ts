import { explain, NONE } from '../explain.ts'

export const http2 = [
  ...explain('http2', 'grpc/calls', 'The trailers of gRPC-Web are in the body; tshark does not read them.', [
    'grpc_status',
    '0',
    NONE,
  ]),
  ...explain('http2', 'http2/goaway', 'We report an answer for a stream that GOAWAY cut off.', [
    'message',
    'response http',
    NONE,
    2,
  ]),
  ...explain('http2', 'http2/nghttpd', 'A pushed stream: we report PUSH_PROMISE as the request.', [
    'message',
    'request http GET /style.css',
    NONE,
  ]),
  ...explain('http2', 'http2/node', 'We report an answer for a stream that was reset.', [
    'message',
    'response http',
    NONE,
    2,
  ]),
]
