const NET_RAW = 1n << 13n

/** Whether a process may capture packets, out of the text of its /proc/PID/status. */
export function mayCapture(status: string): boolean {
  const [, effective = '0'] = /^CapEff:\s*([0-9a-f]+)$/im.exec(status) ?? []
  return (BigInt(`0x${effective}`) & NET_RAW) !== 0n
}

/** The last line of a recorder that cannot capture. The kubelet reports it as the message of the container. */
export const NO_NET_RAW =
  'This container has no right to capture packets (NET_RAW): it does not run as root, or the runtime of this node does not give NET_RAW to root by default, or a policy takes it away.'
