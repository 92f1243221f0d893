import { SystemCallError } from './system-call-error.ts'

const EPERM = 1
const EACCES = 13

/** One line for a person: what keeps this process from capturing, and what to do. */
export function noCaptureReason(error: unknown): string {
  if (process.platform !== 'linux') return `live capture needs Linux, this is ${process.platform}`
  if (error instanceof SystemCallError && (error.errno === EPERM || error.errno === EACCES))
    return (
      'the right to capture packets (CAP_NET_RAW) is missing: run as root, or grant it once with ' +
      `"sudo setcap cap_net_raw,cap_net_admin+ep ${process.execPath}"`
    )
  return `live capture is not possible here: ${error instanceof Error ? error.message : String(error)}`
}
