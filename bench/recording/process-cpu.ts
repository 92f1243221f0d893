import { readdirSync, readFileSync } from 'node:fs'

/** CPU seconds of a process, all its threads together, as the scheduler counts them (nanoseconds, not ticks). */
export function processCpu(pid: number): number {
  let nanoseconds = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [ran] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'latin1').split(' ')
    nanoseconds += Number(ran)
  }
  return nanoseconds / 1e9
}
