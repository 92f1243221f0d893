import { SystemCallError } from '../capture/system-call-error.ts'

const EPERM = 1
const EACCES = 13

/** One line for a person: what keeps this process from watching others, and what is missed by that. */
export function noWatchReason(error: unknown): string {
  const missed =
    'processes are looked up in /proc now and then: short ones, and the owners of short connections, are missed'
  if (error instanceof SystemCallError && (error.errno === EPERM || error.errno === EACCES))
    return `the right to watch processes in the kernel (CAP_BPF and CAP_PERFMON, or root) is missing; ${missed}`
  return `processes cannot be watched in the kernel here (${error instanceof Error ? error.message : error}); ${missed}`
}
