import type { CallStart } from '../call-index.ts'
import { callsWith } from './call-columns.ts'
import type { Reading } from './candidates.ts'

const COLUMNS = 'c.ts, src_peer.ip, c.src_port, dst_peer.ip, c.dst_port'

/** The calls that began in `[from, to)`, in microseconds, with nothing but their ends. */
export async function callStarts(
  { engine, chunks }: Reading,
  from: number,
  to: number,
): Promise<readonly CallStart[]> {
  const starts: CallStart[] = []
  for (const { counts, database } of chunks) {
    if (counts.calls === 0 || counts.oldest >= to || counts.newest < from) continue
    const rows = await engine.rows(
      `SELECT ${COLUMNS} FROM ${callsWith(database, COLUMNS)} WHERE c.ts >= ${from} AND c.ts < ${to}`,
    )
    for (const [time, srcIp, srcPort, dstIp, dstPort] of rows)
      starts.push({
        time: Number(time),
        src: { ip: String(srcIp), port: Number(srcPort) },
        dst: { ip: String(dstIp), port: Number(dstPort) },
      })
  }
  return starts
}
