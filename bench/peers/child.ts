import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** USER_HZ, which is 100 on all Linux systems. */
const TICKS = 100

export interface ChildResult {
  /** Processor time of the process and its threads, user and system. */
  readonly seconds: number
  /** Seconds from its start to its end. */
  readonly clock: number
  readonly output: string
}

/** Runs a program to its end. Undefined where it is not installed. */
export function runChild(
  program: string,
  args: readonly string[],
  keepOutput = true,
): ChildResult | undefined {
  const before = childSeconds()
  const begun = performance.now()
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    // Certificates that Node.js reads as it starts, where a machine asks for that, have no part in this.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined },
    maxBuffer: 1 << 30,
    stdio: ['ignore', keepOutput ? 'pipe' : 'ignore', 'pipe'],
  })
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') return undefined
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr.slice(-500)}`)
  const clock = (performance.now() - begun) / 1000
  return { seconds: childSeconds() - before, clock, output: stdout ?? '' }
}

/** What all children that have ended used (proc(5): cutime and cstime). */
function childSeconds(): number {
  const text = readFileSync('/proc/self/stat', 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS
}
