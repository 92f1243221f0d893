import type { DissectionTask } from './dissection-task.ts'

/** The address of a node, where the names of the snapshot tell it. */
export function nodeAddress({ inventory }: DissectionTask, node: string): { readonly nodeIp?: string } {
  const ip = inventory.nodes?.find(({ name }) => name === node)?.ips[0]
  return ip === undefined ? {} : { nodeIp: ip }
}
