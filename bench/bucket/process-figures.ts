import { readFileSync, writeFileSync } from 'node:fs'

const TICKS_A_SECOND = 100
const SAMPLE_MS = 100

export interface Figures {
  /** Processor seconds. */
  readonly cpu: number
  /** Peak of the resident memory, bytes. */
  readonly peak: number
}

/** Watches processes until `end`. One that ends before counts with its last sample. */
export function watchProcesses(pids: Readonly<Record<string, () => number | undefined>>): {
  end(): Record<string, Figures>
} {
  const first = new Map<string, number>()
  const last: Record<string, Figures> = {}
  const sample = () => {
    for (const [name, find] of Object.entries(pids)) {
      const pid = find()
      const now = pid === undefined ? undefined : read(pid)
      if (now === undefined || pid === undefined) continue
      if (!first.has(name)) {
        first.set(name, now.cpu)
        resetPeak(pid)
      }
      last[name] = { cpu: now.cpu - first.get(name)!, peak: Math.max(now.peak, last[name]?.peak ?? 0) }
    }
  }
  // A job that begins later counts from its begin.
  for (const [name, find] of Object.entries(pids)) if (find() === undefined) first.set(name, 0)
  sample()
  const timer = setInterval(sample, SAMPLE_MS)
  return {
    end() {
      clearInterval(timer)
      sample()
      return last
    },
  }
}

function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // It may have ended.
  }
}

function read(pid: number): Figures | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
    const rss = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND, peak: Number(rss ?? 0) * 1024 }
  } catch {
    return undefined
  }
}
