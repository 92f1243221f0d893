import type { RecordForm } from '../staged-records.ts'

/** One kind of capture file, read from whatever part of it is in memory. */
export interface CaptureFormat {
  readonly name: 'pcap' | 'pcapng'
  /** How many bytes, from where `walk` stopped, it takes to get on. Grows with what the bytes declare, never past a ceiling. */
  readonly wanted: number
  readonly packets: number
  /** How the records stand that come next, where code can walk them. */
  readonly form: RecordForm | undefined
  /** Hands on all whole packets in `data[at, end)` and returns where it stopped. `last`: nothing will follow. */
  walk(data: Uint8Array, at: number, end: number, last: boolean): number
}
