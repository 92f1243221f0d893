import { PCAP_US, type RecordForm, type RecordFormat } from './record-form.ts'

/** Records in the read buffer, of which a sink drops some: see `PacketSink.dropForeignPackets`. One instance is reused. */
export class RecordBatch implements RecordForm {
  format: RecordFormat = PCAP_US
  interfaces = 0
  /** Offset of the next record in the WebAssembly memory. The sink moves it. */
  at = 0
  end = 0
  /** Bytes that remain. The sink has moved them to the start of the chunk area. */
  kept = 0
  /** The dropped packets and their bytes. */
  packets = 0
  bytes = 0
  /** True: the sink does not know the next block. False: the next record is incomplete. */
  isStuck = true

  begin({ format, interfaces }: RecordForm, at: number, end: number): void {
    this.format = format
    this.interfaces = interfaces
    this.at = at
    this.end = end
    this.kept = 0
    this.packets = 0
    this.bytes = 0
    this.isStuck = true
  }
}
