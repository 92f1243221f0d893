import type { Fields } from '../../contract/dissector.ts'

/** Beside those of HTTP, which every gRPC call has. */
export const fields = {
  grpc_method: {
    type: 'string',
    path: 'grpc.method',
    doc: 'Name of the method, without its service',
    example: 'grpc_method == "GetUser"',
  },
  grpc_service: {
    type: 'string',
    path: 'grpc.service',
    doc: 'Full name of the service',
    example: 'grpc_service == "shop.v1.Carts"',
  },
  grpc_status: {
    type: 'integer',
    path: 'grpc.status',
    doc: 'Status code from the trailers; 0 is success',
    example: 'grpc_status != 0',
  },
  grpc_status_name: {
    type: 'string',
    path: 'grpc.status_name',
    doc: 'The status by name: OK, NOT_FOUND, UNAVAILABLE …',
    example: 'grpc_status_name == "UNAVAILABLE"',
  },
  grpc_message: {
    type: 'string',
    path: 'grpc.message',
    doc: 'What the server said about the status',
    example: 'grpc_message.contains("deadline")',
  },
  grpc_kind: {
    type: 'string',
    path: 'grpc.kind',
    doc: 'unary, client_streaming, server_streaming or bidi_streaming, by the messages that were seen',
    example: 'grpc_kind != "unary"',
  },
  grpc_request_messages: {
    type: 'integer',
    path: 'grpc.request_messages',
    doc: 'Messages from the client',
    example: 'grpc_request_messages > 100',
  },
  grpc_response_messages: {
    type: 'integer',
    path: 'grpc.response_messages',
    doc: 'Messages from the server',
    example: 'grpc_response_messages == 0',
  },
  grpc_timeout_ms: {
    type: 'number',
    path: 'grpc.timeout_ms',
    doc: 'Time that the client gives the call, in milliseconds',
    example: 'grpc_timeout_ms < 1000',
  },
} as const satisfies Fields
