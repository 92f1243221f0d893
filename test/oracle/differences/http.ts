import { explain, NONE } from '../explain.ts'

export const http = [
  ...explain(
    'http',
    'http/closed',
    'A reset cut the response off: tshark waits for the rest and never shows it.',
    ['message', 'response http 200', NONE],
  ),
  ...explain('http', 'http/keep-alive', 'PURGE is not among the methods that tshark knows.', [
    'message',
    'request http PURGE /cache/item',
    NONE,
  ]),
  ...explain(
    'http',
    'http/nginx',
    'The announced body was never sent (405 instead of 100): tshark waits for it and never shows the request.',
    ['message', 'request http PUT /upload', NONE],
  ),
  ...explain(
    'http',
    'http/pipelined-and-odd',
    'HEAD inside a pipeline hides three responses, because tshark expects a body of its length; tshark does not read a request and its response inside a CONNECT tunnel.',
    ['message', 'response http 200', NONE, 2],
    ['message', 'response http 204', NONE],
    ['message', 'response http 500', NONE],
    ['message', 'request http GET /', NONE],
  ),
  ...explain(
    'http',
    'http/pipelined-and-odd',
    'HEAD inside a pipeline: tshark expects a body of the given length and misses the responses after it.',
    ['content_type', 'application/octet-stream', 'application/json'],
    ['content_length', '6', NONE],
    ['content_encoding', NONE, 'gzip'],
  ),
  ...explain(
    'http',
    'http/pipelined-and-odd',
    'A request line with an absolute address: we show path and query; the address is in `url`.',
    ['uri', '/?a=1', 'http://shop.local/?a=1'],
  ),
  ...explain(
    'http',
    'tls/failures',
    'The plain-text answer of a web server to a TLS hello: we report a failed TLS connection.',
    ['message', NONE, '0 400 Bad Request'],
  ),
  ...explain(
    'http',
    'tls/suites',
    'A suite without encryption: tshark reads the application data, we do not.',
    ['message', NONE, 'GET / HTTP/1.0'],
  ),
  ...explain(
    'http',
    'gap_in_stream.pcap',
    'A part of the body was not captured. tshark leaves the response out, we show what was captured.',
    ['message', 'response http 200', NONE],
  ),
  ...explain(
    'http',
    'http_get_2k_file.pcap',
    'The header was sent twice; tshark shows the first, we show both.',
    ['content_type', 'application/octet-stream, binary', 'application/octet-stream'],
  ),
  ...explain(
    'http',
    'wsgi_drum.pcap',
    'Every packet is in the file twice, with times that go back: which copy completes a message differs.',
    ['message', 'response http 200', NONE],
    ['time', '*', '*', 16],
  ),
  ...explain(
    'http',
    'wsgi_loopback.pcap',
    'Every packet is in the file twice, with times that go back: which copy completes a message differs.',
    ['time', '1', '0'],
  ),
]
