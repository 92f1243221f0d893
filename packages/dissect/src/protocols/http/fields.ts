import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  method: { type: 'string', path: 'method', doc: 'Request method', example: 'method == "POST"' },
  url: {
    type: 'string',
    path: 'request.url',
    doc: 'Address with host, path and query',
    example: 'url.contains("/api/")',
  },
  path: { type: 'string', path: 'path', doc: 'Path without the query', example: 'path.startsWith("/v1/")' },
  status_code: {
    type: 'integer',
    path: 'status',
    doc: 'Status code of the response',
    example: 'status_code >= 500',
  },
  http_version: {
    type: 'string',
    path: 'request.http_version',
    doc: '1.0, 1.1 or 2',
    example: 'http_version == "1.1"',
  },
  query_string: {
    type: 'map',
    path: 'request.query',
    doc: 'Query parameters by name; a repeated one is a list',
    example: 'query_string["page"] == "2"',
  },
  'request.headers': {
    type: 'map',
    path: 'request.headers',
    doc: 'Request headers by lower-case name',
    example: 'request.headers["user-agent"].contains("curl")',
  },
  'response.headers': {
    type: 'map',
    path: 'response.headers',
    doc: 'Response headers by lower-case name',
    example: 'response.headers["content-type"] == "application/json"',
  },
  'request.cookies': {
    type: 'map',
    path: 'request.cookies',
    doc: 'Cookies sent by the client',
    example: '"session" in request.cookies',
  },
  'response.cookies': {
    type: 'map',
    path: 'response.cookies',
    doc: 'Cookies set by the server',
    example: '"session" in response.cookies',
  },
  request_headers_size: {
    type: 'integer',
    path: 'request.headers_size',
    doc: 'Bytes of the request head',
    example: 'request_headers_size > 8192',
  },
  request_body_size: {
    type: 'integer',
    path: 'request.body_size',
    doc: 'Bytes of the request body as sent',
    example: 'request_body_size > 1000000',
  },
  response_headers_size: {
    type: 'integer',
    path: 'response.headers_size',
    doc: 'Bytes of the response head',
    example: 'response_headers_size > 8192',
  },
  response_body_size: {
    type: 'integer',
    path: 'response.body_size',
    doc: 'Bytes of the response body as sent, before decompression',
    example: 'response_body_size == 0',
  },
} as const satisfies Fields
