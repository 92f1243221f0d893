import type { RecordForm } from '../record-form.ts'

/** One capture file format, parsed from the part that is in memory. */
export interface CaptureFormat {
  readonly name: 'pcap' | 'pcapng'
  /** How many bytes, from where `walk` stopped, are needed to continue. Bounded, whatever the bytes declare. */
  readonly wanted: number
  readonly packets: number
  /** The form of the next records, if WebAssembly can walk them. */
  readonly form: RecordForm | undefined
  /** Delivers all whole packets in `data[at, end)` and returns where it stopped. `last`: nothing follows. */
  walk(data: Uint8Array, at: number, end: number, last: boolean): number
}
