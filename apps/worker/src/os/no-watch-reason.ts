import { SystemCallError } from '../capture/system-call-error.ts'

/** One line for users: why processes cannot be traced in the kernel, and what is missed. */
export function noWatchReason(error: unknown): string {
  const missed =
    'Processes are polled in /proc instead: short processes, and the owners of short connections, are missed.'
  if (error instanceof SystemCallError && error.isDenied)
    return `The right to trace processes in the kernel (CAP_BPF and CAP_PERFMON, or root) is missing. ${missed}`
  return `Processes cannot be traced in the kernel here (${error instanceof Error ? error.message : error}). ${missed}`
}
