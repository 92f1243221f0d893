/**
 * Where the WebAssembly code and its TypeScript twins find their shared values. `layout.test.ts` compares these
 * numbers with the offsets in the .wat files. Connection rows are in `tcp-row.ts`.
 */

/** The state of plain-segments.wat, in words of four bytes. */
export const SEGMENT_STATE = {
  AT: 0,
  ROW: 1,
  FROM_HIGH: 2,
  BODY: 3,
  STOP: 4,
  PACKETS: 5,
  BYTES: 6,
  LAST: 7,
  ENTRIES: 10,
  ENTRY_MASK: 11,
  SEED: 12,
  ENTRY: 13,
  /** Three words: ports, low address, high address. */
  KEY: 14,
  ENDS: 17,
  TIMES: 18,
  NEXTS: 19,
  CELL_COUNT: 20,
  FREE_CELL: 21,
  USED_CELLS: 22,
  HAS_NOTES: 23,
  FORMAT: 25,
  INTERFACES: 26,
  /** In words of eight bytes. */
  TIME: 4,
  TCP_IDLE: 14,
  GRACE: 15,
} as const

/** An entry of the connection table: the key as in a slot of `FlowTable`, then the row. */
export const CONNECTION_ENTRY = {
  PORTS: 0,
  LOW: 1,
  HIGH: 2,
  /** Byte offset of the row; 0: the entry is free. */
  ROW_OFFSET: 3,
  ROW: 6,
  /** In words of eight bytes. */
  TOUCHED: 2,
} as const

/** The state of foreign-packets.wat, in words of four bytes. */
export const FOREIGN_STATE = {
  AT: 0,
  KEPT: 1,
  PACKETS: 2,
  BYTES: 3,
  FORMAT: 4,
  INTERFACES: 5,
  SHARD: 6,
  SHARDS: 7,
  LOOKUPS: 8,
  LIST: 9,
  OUT: 10,
} as const
