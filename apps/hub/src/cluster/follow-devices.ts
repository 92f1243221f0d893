import type { Directory } from '../directory.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/** Nodes whose devices are remembered; above that the oldest is forgotten. */
const MAX_NODES = 4096

/** Keeps the addresses of the nodes' devices in the directory. Those of a node that is away stay. */
export function followDevices(workers: Workers, directory: Directory): void {
  const known = new Map<string, readonly string[]>()
  const take = ({ node, report: { addresses } }: Worker) => {
    if (addresses === undefined || known.get(node)?.join() === addresses.join()) return
    known.delete(node)
    known.set(node, addresses)
    for (const oldest of known.keys()) {
      if (known.size <= MAX_NODES) break
      known.delete(oldest)
    }
    directory.setDevices(known)
  }
  workers.on('join', take)
  workers.on('report', take)
}
