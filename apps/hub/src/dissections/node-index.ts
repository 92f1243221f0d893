import { type CallIndex, openIndex } from '@tapdeck/index'
import type { Catalog } from '@tapdeck/kfl'
import { type DissectionTask, ofSnapshot } from './dissection-task.ts'
import { nodeAddress } from './node-address.ts'

/** Opens an index in `folder` for calls of a node, to be written. `shares`: how many of them have the task's memory between them. */
export function openNodeIndex(
  folder: string,
  task: DissectionTask,
  node: string,
  catalog: Catalog,
  shares = 1,
): Promise<CallIndex> {
  return openIndex(
    folder,
    {
      node,
      captureSource: task.captureSource,
      maxBytes: 0,
      memory: task.memory / shares,
      ...nodeAddress(task, node),
      packetsSince: ofSnapshot,
    },
    catalog,
  )
}
