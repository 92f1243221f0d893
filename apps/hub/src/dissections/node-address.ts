import type { DissectionTask } from './dissection-task.ts'

/** The address of a node, if the names of the snapshot have it. */
export function nodeAddress({ inventory }: DissectionTask, node: string): { readonly nodeIp?: string } {
  const ip = inventory.nodes?.find(({ name }) => name === node)?.ips[0]
  return ip === undefined ? {} : { nodeIp: ip }
}
