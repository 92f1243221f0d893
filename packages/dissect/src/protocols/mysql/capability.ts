/** What client and server agree on at the beginning: "Capabilities Flags". */
export const CAPABILITY = {
  connectWithDb: 0x8,
  compress: 0x20,
  protocol41: 0x200,
  ssl: 0x800,
  secureConnection: 0x8000,
  pluginAuth: 0x80000,
  connectAttributes: 0x100000,
  authLengthEncoded: 0x200000,
  sessionTrack: 0x800000,
  deprecateEof: 0x1000000,
  optionalMetadata: 0x2000000,
  zstd: 0x4000000,
  queryAttributes: 0x8000000,
} as const

/** What the server says of itself at the end of each result: "Status Flags". */
export const STATUS = {
  inTransaction: 0x1,
  autocommit: 0x2,
  moreResults: 0x8,
  noGoodIndex: 0x10,
  noIndex: 0x20,
  cursorExists: 0x40,
  slow: 0x800,
  sessionChanged: 0x4000,
} as const
