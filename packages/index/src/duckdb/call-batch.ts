import { ROWS } from './chunk-rows.ts'
import type { Columns } from './column-kind.ts'
import { RowBatch } from './row-batch.ts'
import { callSchema } from './schema.ts'
import { TextColumn } from './text-column.ts'

/** A batch of calls. Its columns are spelled out: an object that is put together by name is many times slower to use. */
export class CallBatch extends RowBatch<typeof callSchema> {
  /** No row refers to this block of payloads or a later one. */
  blocks = 0

  constructor() {
    super(callSchema, emptyColumns())
  }
}

function emptyColumns(): Columns<typeof callSchema> {
  return {
    ts: new Float64Array(ROWS),
    flow: new Float64Array(ROWS),
    ordinal: new Int32Array(ROWS),
    src: new Int32Array(ROWS),
    dst: new Int32Array(ROWS),
    src_port: new Uint16Array(ROWS),
    dst_port: new Uint16Array(ROWS),
    proto: new Int32Array(ROWS),
    method: new Int32Array(ROWS),
    path: new TextColumn(),
    status: new Float64Array(ROWS),
    status_word: new Int32Array(ROWS),
    error: new Int32Array(ROWS),
    latency_us: new Float64Array(ROWS),
    ttfb_us: new Float64Array(ROWS),
    req_size: new Float64Array(ROWS),
    resp_size: new Float64Array(ROWS),
    handshake_us: new Float64Array(ROWS),
    block: new Int32Array(ROWS),
    slot: new Uint16Array(ROWS),
    tls: new Int32Array(ROWS),
    connection_end: new Int32Array(ROWS),
    template: new TextColumn(),
    waited_us: new Float64Array(ROWS),
  }
}
