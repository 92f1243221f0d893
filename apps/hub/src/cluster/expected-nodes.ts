import { missingLabel } from '../kubernetes/missing-label.ts'
import type { NodeRecord } from '../kubernetes/node-record.ts'
import type { MissingNode } from './absent-nodes.ts'

/** The chart sets this key to `nodeSelector.worker`. */
const CHOICE = 'tap.kubernetes.workerNodes (nodeSelector.worker of the chart) lets workers run'

/** A node of the cluster that should have a worker. */
export interface ExpectedNode {
  readonly name: string
  /** When it joined the cluster, where that is known. Unix milliseconds. */
  readonly since?: number
  /** Why it has no worker, where more is known than that none has connected. */
  readonly reason?: string
}

export interface ExpectedNodesOptions {
  /** The nodes of the cluster; empty while they are not known. */
  readonly nodes: () => readonly NodeRecord[]
  /** Labels of the nodes that workers run on. */
  readonly selector: Readonly<Record<string, string>>
  /** Why the worker of a node does not connect. */
  readonly reasonOf?: (node: NodeRecord) => string | undefined
}

/** The nodes of the cluster: those that should have a worker, and those that the configuration excludes. */
export class ExpectedNodes {
  readonly #options: ExpectedNodesOptions

  constructor(options: ExpectedNodesOptions) {
    this.#options = options
  }

  get all(): ExpectedNode[] {
    const { nodes, selector, reasonOf } = this.#options
    return nodes()
      .filter(({ labels }) => missingLabel(selector, labels) === undefined)
      .map((node) => {
        const { name, from } = node
        const reason = reasonOf?.(node)
        return { name, ...(from !== undefined && { since: from }), ...(reason !== undefined && { reason }) }
      })
  }

  get excluded(): MissingNode[] {
    const { nodes, selector } = this.#options
    return nodes().flatMap(({ name, labels }) => {
      const missing = missingLabel(selector, labels)
      return missing === undefined ? [] : { name, reason: `${CHOICE} ${missing}` }
    })
  }
}
