import { type Logger, pino } from 'pino'

export type Log = Logger

/** One JSON object a line on standard error. */
export function createLog(level: string): Log {
  return pino(
    { level, base: { part: 'worker' }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: true }),
  )
}
