import type { RunningPod } from './pods-of.ts'
import { inNode, kubectl } from './test-cluster.ts'

/** What the kernel counts of TCP in the network namespace of a pod, such as `Tcp.RetransSegs`. */
export type KernelCounters = ReadonlyMap<string, number>

export async function kernelCounters(pod: string): Promise<KernelCounters> {
  const text = await kubectl('exec', pod, '--', 'cat', '/proc/net/snmp', '/proc/net/netstat')
  const lines = text.trimEnd().split('\n')
  const counters = new Map<string, number>()
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const [kind = '', ...names] = lines[at]!.split(' ')
    const [, ...values] = lines[at + 1]!.split(' ')
    for (const [index, name] of names.entries())
      counters.set(`${kind.replace(':', '')}.${name}`, Number(values[index]))
  }
  return counters
}

/** A command of the node, in the network namespace of a pod. */
export async function inNetworkOf({ name, node }: RunningPod, ...args: string[]): Promise<string> {
  const at = Number(node.replace('node', ''))
  const own = `for p in /proc/[0-9]*; do
    if grep -qz '^HOSTNAME=${name}$' $p/environ 2>/dev/null; then echo \${p#/proc/}; break; fi; done`
  const pid = (await inNode(at, 'bash', '-c', own)).trim()
  return inNode(at, 'nsenter', '-t', pid, '-n', ...args)
}
