import { type Logger, pino } from 'pino'

export type Log = Logger

/** One JSON object a line on standard error; standard output stays for the line that says where the hub listens. */
export function createLog(level: string): Log {
  return pino(
    { level, base: { part: 'hub' }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  )
}
