import { SystemCallError } from './system-call-error.ts'

const EPERM = 1
const EACCES = 13

const IN_POD =
  'add NET_RAW and NET_ADMIN to the capabilities of the container (value `capabilities` of the chart)'
const ON_A_MACHINE = `run as root, or grant it once with "sudo setcap cap_net_raw,cap_net_admin+ep ${process.execPath}"`

/** One line for users: why capture is not possible, and what to do. */
export function noCaptureReason(error: unknown): string {
  if (process.platform !== 'linux') return `live capture needs Linux, this is ${process.platform}`
  if (isForbidden(error))
    return `the right to capture packets (CAP_NET_RAW) is missing: ${isInPod() ? IN_POD : ON_A_MACHINE}`
  return `live capture is not possible here: ${error instanceof Error ? error.message : String(error)}`
}

/** The reason code of coverage gaps without capture. */
export function noCaptureCode(error: unknown): 'no_permission' | 'capture_lost' {
  return isForbidden(error) ? 'no_permission' : 'capture_lost'
}

/** The kubelet sets it in each container. */
function isInPod(): boolean {
  return process.env.KUBERNETES_SERVICE_HOST !== undefined
}

function isForbidden(error: unknown): boolean {
  return error instanceof SystemCallError && (error.errno === EPERM || error.errno === EACCES)
}
