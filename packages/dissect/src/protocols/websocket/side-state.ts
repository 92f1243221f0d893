import type { Connection } from '../../contract/dissector.ts'
import { Body } from '../../message/body.ts'
import { FrameHeader } from './frame.ts'
import type { Inflation } from './inflation.ts'

/** One side of a connection, and its message that has begun. */
export class SideState {
  readonly header = new FrameHeader()
  readonly body: Body
  readonly inflation: Inflation | undefined
  /** Opcode of the message that has begun; -1: none has. */
  opcode = -1
  compressed = false
  frames = 0
  start = 0
  size = 0

  constructor(connection: Connection, inflation: Inflation | undefined) {
    this.body = new Body(connection)
    this.inflation = inflation
  }

  begin(opcode: number, compressed: boolean, start: number): void {
    this.opcode = opcode
    this.compressed = compressed
    this.start = start
    this.frames = 0
    this.size = 0
  }
}
