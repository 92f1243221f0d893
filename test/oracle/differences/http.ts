import { explain, NONE } from '../explain.ts'

export const http = [
  ...explain(
    'http',
    'http/closed',
    'A response that a reset cut off: tshark waits for the rest and never shows it.',
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
    'The body was announced but never sent (405 instead of 100): tshark waits for it and never shows the request.',
    ['message', 'request http PUT /upload', NONE],
  ),
  ...explain(
    'http',
    'http/pipelined-and-odd',
    'HEAD inside a pipeline, whose length tshark takes for a body, hides three responses; a request and its response inside a CONNECT tunnel are not looked for by tshark.',
    ['message', 'response http 200', NONE, 2],
    ['message', 'response http 204', NONE],
    ['message', 'response http 500', NONE],
    ['message', 'request http GET /', NONE],
  ),
  ...explain(
    'http',
    'http/pipelined-and-odd',
    'HEAD inside a pipeline: tshark takes the length for that of a body that follows and swallows the responses behind it.',
    ['content_type', 'application/octet-stream', 'application/json'],
    ['content_length', '6', NONE],
    ['content_encoding', NONE, 'gzip'],
  ),
  ...explain(
    'http',
    'http/pipelined-and-odd',
    'A request line with an absolute address: we show path and query, the address stands in `url`.',
    ['uri', '/?a=1', 'http://shop.local/?a=1'],
  ),
  ...explain(
    'http',
    'tls/failures',
    'The answer in clear text of a web server that was spoken to in TLS: to us the connection is TLS, and its failure says so.',
    ['message', NONE, '0 400 Bad Request'],
  ),
  ...explain(
    'http',
    'tls/suites',
    'A suite without encryption: tshark reads the application data, we leave what is in TLS alone.',
    ['message', NONE, 'GET / HTTP/1.0'],
  ),
  ...explain(
    'http',
    'gap_in_stream.pcap',
    'Part of the body was not captured. tshark leaves the response out, we show what there is of it.',
    ['message', 'response http 200', NONE],
  ),
  ...explain('http', 'http_get_2k_file.pcap', 'The header was sent twice; tshark shows the first, we both.', [
    'content_type',
    'application/octet-stream, binary',
    'application/octet-stream',
  ]),
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
