/**
 * Where the WebAssembly code and its TypeScript twins find their shared values. `layout.test.ts` compares these
 * numbers with the offsets in the .wat files.
 */

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
  MOVED: 11,
  SYNS: 12,
} as const
