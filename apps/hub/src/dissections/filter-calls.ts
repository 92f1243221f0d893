import { type Call, toCallRecord } from '@tapdeck/dissect'
import type { Peers } from '@tapdeck/index'
import { type Catalog, compile } from '@tapdeck/kfl'
import type { DissectionTask } from './dissection-task.ts'
import { nodeAddress } from './node-address.ts'

/** Whether a call is one that the task asks for. */
export type CallFilter = (call: Call, peers: Peers) => boolean

/** Undefined where all are. */
export function filterOf(task: DissectionTask, node: string, catalog: Catalog): CallFilter | undefined {
  if (task.kfl.trim() === '') return undefined
  const filter = compile(task.kfl, catalog, task.now)
  const { nodeIp } = nodeAddress(task, node)
  const known = { has_pcap: true, ...(nodeIp !== undefined && { node_ip: nodeIp }) }
  return (call, peers) => filter.matches(toCallRecord(call, peers, node, task.captureSource, known))
}

/** A filter that reads names from DNS also needs the packets of the DNS answers. */
export function readsSeenNames(task: DissectionTask, catalog: Catalog): boolean {
  if (task.kfl.trim() === '') return false
  return compile(task.kfl, catalog, task.now).paths.some(
    (path) => /(^|\.)dns($|[.[])/.test(path) && !path.startsWith('dns'),
  )
}
