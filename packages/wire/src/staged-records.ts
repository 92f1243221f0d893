import { PCAP_US, type RunFormat } from './packet-run.ts'

/** How the records of a capture file stand in it. */
export interface RecordForm {
  readonly format: RunFormat
  /** Of pcapng, the interfaces whose packets are like this. */
  readonly interfaces: number
}

/** Records of a capture file on the stage (`shadow.takeStage`), of which a sink leaves some out: see `PacketSink.sift`. One is reused. */
export class StagedRecords implements RecordForm {
  format: RunFormat = PCAP_US
  interfaces = 0
  /** Where in the memory the next record begins: the sink moves it past those that it has seen. */
  at = 0
  end = 0
  /** Bytes of those that stay: the sink has moved them to the begin of the shadow. */
  kept = 0
  /** Those that were left out. */
  packets = 0
  bytes = 0
  /** What comes next is nothing that the sink knows, rather than a record that is not all there. */
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
