import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  ws_opcode: {
    type: 'string',
    path: 'websocket.opcode',
    doc: 'Kind of message: text, binary, close, ping, pong',
    example: 'ws_opcode == "text"',
  },
  ws_request: {
    type: 'boolean',
    path: 'websocket.request',
    doc: 'The client sent it',
    example: 'ws_request',
  },
  ws_response: {
    type: 'boolean',
    path: 'websocket.response',
    doc: 'The server sent it',
    example: 'ws_response',
  },
  ws_request_payload_data: {
    type: 'string',
    path: 'websocket.request_payload',
    doc: 'What the client said, decompressed; base64 where it is no text',
    example: 'ws_request_payload_data.contains("subscribe")',
  },
  ws_request_payload_length: {
    type: 'integer',
    path: 'websocket.request_payload_length',
    doc: "Bytes of the client's message as sent",
    example: 'ws_request_payload_length > 1000',
  },
  ws_response_payload_length: {
    type: 'integer',
    path: 'websocket.response_payload_length',
    doc: "Bytes of the server's message as sent",
    example: 'ws_response_payload_length > 1000',
  },
  ws_payload_data: {
    type: 'string',
    path: 'websocket.payload',
    doc: 'What either side said, decompressed; base64 where it is no text',
    example: 'ws_payload_data.contains("error")',
  },
  ws_path: {
    type: 'string',
    path: 'websocket.path',
    doc: 'Path of the request that opened the connection',
    example: 'ws_path == "/live"',
  },
  ws_frames: {
    type: 'integer',
    path: 'websocket.frames',
    doc: 'Frames that the message was sent in',
    example: 'ws_frames > 1',
  },
  ws_compressed: {
    type: 'boolean',
    path: 'websocket.compressed',
    doc: 'The message was compressed (permessage-deflate)',
    example: 'ws_compressed',
  },
  ws_close_code: {
    type: 'integer',
    path: 'websocket.close_code',
    doc: 'Why the connection was closed, as a number',
    example: 'ws_close_code != 1000',
  },
  ws_close_reason: {
    type: 'string',
    path: 'websocket.close_reason',
    doc: 'Why the connection was closed, in words',
    example: 'ws_close_reason.contains("timeout")',
  },
} as const satisfies Fields
