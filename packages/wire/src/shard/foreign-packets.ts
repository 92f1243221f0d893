import { shadow } from '../lasting-shadow.ts'
import type { StagedRecords } from '../staged-records.ts'
import code from './foreign-packets.wasm.ts'
import type { Shard } from './shard.ts'

interface SiftCode {
  sift(state: number, at: number, limit: number, due: number): number
}

/** Words of the state, with what the code is told and what it leaves. */
const AT = 0
const KEPT = 1
const PACKETS = 2
const BYTES = 3
const FORMAT = 4
const INTERFACES = 5
const SHARD = 6
const SHARDS = 7
const LOOKUPS = 8
const LIST = 9
const OUT = 10
/** Behind it, the code has its list of records. */
const STATE_BYTES = 64

const { memory, base, desk } = shadow
const { sift } = shadow.load<SiftCode>(code)
const ints = new Int32Array(memory.buffer)
const state = desk >> 2

/**
 * Leaves the plain packets of other shards out of records that stand on the stage, at a fraction of what it costs to open each. What stays
 * stands at the begin of the shadow. Those that a shard goes by although they are not its own do stay: a packet that calls for
 * a look at what has grown old (`due`), the last one, lookups of names where they are wanted, and whatever is not plain.
 */
export function leaveOutForeign(records: StagedRecords, shard: Shard, lookups: boolean, due: number): void {
  ints[state + FORMAT] = records.format
  ints[state + INTERFACES] = records.interfaces
  ints[state + SHARD] = shard.index
  ints[state + SHARDS] = shard.count
  ints[state + LOOKUPS] = lookups ? 1 : 0
  ints[state + LIST] = desk + STATE_BYTES
  ints[state + OUT] = base
  records.isStuck = sift(desk, records.at, records.end, due) !== 0
  records.at = ints[state + AT]
  records.kept = ints[state + KEPT]
  records.packets = ints[state + PACKETS]
  records.bytes = ints[state + BYTES]
}
