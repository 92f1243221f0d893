import { SystemCallError } from '../capture/system-call-error.ts'

/** One line for users: why no keys can be taken from processes, and what still works. */
export function noProbesReason(error: unknown): string {
  const instead = 'Keys are taken from key log files only (tap.tls.capture.keyLogFiles).'
  if (error instanceof SystemCallError && error.isDenied)
    return `The right to probe processes (CAP_SYS_ADMIN, CAP_BPF and CAP_PERFMON, or root) is missing. ${instead}`
  return `Processes cannot be probed here (${error instanceof Error ? error.message : error}). ${instead}`
}
