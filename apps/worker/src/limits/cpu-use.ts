import { ownCgroups, readNumber, readNumbers } from './own-cgroup.ts'

/** The CPU limit of this container. The kernel divides time into periods, and stops all threads for the rest of a period when its share is used up. */
export interface CpuUse {
  readonly limitCores: number
  /** Periods so far in which the container ran, and those of them in which it was stopped. */
  readonly periods: number
  readonly throttled: number
}

const DEFAULT_PERIOD_US = 100_000

/** Undefined where this process has no CPU limit. */
export function readCpuUse(root?: string, own?: string): CpuUse | undefined {
  for (const { version, folder } of ownCgroups('cpu', root, own)) {
    const quota = readNumber(folder, version === 2 ? 'cpu.max' : 'cpu.cfs_quota_us')
    if (quota === undefined || quota <= 0) continue
    const period = version === 2 ? readNumber(folder, 'cpu.max', 1) : readNumber(folder, 'cpu.cfs_period_us')
    const [periods = 0, throttled = 0] = readNumbers(folder, 'cpu.stat', ['nr_periods', 'nr_throttled'])
    return { limitCores: quota / (period ?? DEFAULT_PERIOD_US), periods, throttled }
  }
  return undefined
}
