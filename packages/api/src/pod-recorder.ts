/** No node of a cluster has a colon in its name (RFC 1123). */
const PREFIX = 'pod:'

/** The node name of a recorder that runs inside of a pod and records that pod only. */
export function recorderName(namespace: string, pod: string): string {
  return `${PREFIX}${namespace}:${pod}`
}

export function isPodRecorder(node: string): boolean {
  return node.startsWith(PREFIX)
}
