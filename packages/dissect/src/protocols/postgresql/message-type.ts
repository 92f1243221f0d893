/** Types of messages, by the byte that begins them: "Message Formats" in the PostgreSQL documentation. */
export const FRONTEND = {
  bind: 0x42, // B
  close: 0x43, // C
  copyData: 0x64, // d
  copyDone: 0x63, // c
  copyFail: 0x66, // f
  describe: 0x44, // D
  execute: 0x45, // E
  flush: 0x48, // H
  functionCall: 0x46, // F
  parse: 0x50, // P
  password: 0x70, // p, also of SASL and GSSAPI
  query: 0x51, // Q
  sync: 0x53, // S
  terminate: 0x58, // X
} as const

export const BACKEND = {
  authentication: 0x52, // R
  backendKeyData: 0x4b, // K
  bindComplete: 0x32, // 2
  closeComplete: 0x33, // 3
  commandComplete: 0x43, // C
  copyData: 0x64, // d
  copyDone: 0x63, // c
  copyIn: 0x47, // G
  copyOut: 0x48, // H
  copyBoth: 0x57, // W
  dataRow: 0x44, // D
  emptyQuery: 0x49, // I
  error: 0x45, // E
  functionResult: 0x56, // V
  negotiate: 0x76, // v
  noData: 0x6e, // n
  notice: 0x4e, // N
  notification: 0x41, // A
  parameterDescription: 0x74, // t
  parameterStatus: 0x53, // S
  parseComplete: 0x31, // 1
  portalSuspended: 0x73, // s
  readyForQuery: 0x5a, // Z
  rowDescription: 0x54, // T
} as const

/** A type byte and a length that counts itself. */
export const HEADER = 5

/** Values in place of a protocol version in a message without a type. */
export const SPECIAL = { cancel: 80877102, ssl: 80877103, gss: 80877104 } as const
export const MAJOR_VERSION = 3
