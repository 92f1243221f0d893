interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly dur?: number
  /** Processor time of the thread, µs. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

export interface TaskTimes {
  readonly tasks: number
  /** Tasks that took more than 50 ms of processor time. */
  readonly long: number
  readonly longestMs: number
  readonly totalMs: number
}

const LONG_MS = 50
const TASKS: ReadonlySet<string> = new Set(['RunTask', 'ThreadControllerImpl::RunTask'])

/**
 * The tasks of the page's main thread in a trace of Chromium. It is processor time: on a busy machine a thread waits for a processor, which
 * says nothing about the page.
 */
export function mainThreadTasks(trace: Buffer): TaskTimes {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] }
  const threads = new Map<string, number[]>()
  for (const event of traceEvents)
    if (event.ph === 'M' && event.name === 'thread_name' && event.args?.name === 'CrRendererMain')
      threads.set(`${event.pid}/${event.tid}`, [])
  for (const { ph, name, pid, tid, tdur } of traceEvents)
    if (ph === 'X' && TASKS.has(name) && tdur !== undefined) threads.get(`${pid}/${tid}`)?.push(tdur / 1000)
  const [tasks = []] = [...threads.values()].sort((a, b) => b.length - a.length)
  return {
    tasks: tasks.length,
    long: tasks.filter((ms) => ms > LONG_MS).length,
    longestMs: tasks.reduce((most, ms) => Math.max(most, ms), 0),
    totalMs: tasks.reduce((sum, ms) => sum + ms, 0),
  }
}
