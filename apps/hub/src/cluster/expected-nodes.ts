import type { NodeRecord } from '../kubernetes/node-record.ts'

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

/** The nodes that should have a worker: those of the cluster, except those that the configuration excludes. */
export class ExpectedNodes {
  readonly #options: ExpectedNodesOptions

  constructor(options: ExpectedNodesOptions) {
    this.#options = options
  }

  get all(): ExpectedNode[] {
    const { nodes, selector, reasonOf } = this.#options
    const wanted = Object.entries(selector)
    return nodes()
      .filter(({ labels }) => wanted.every(([label, value]) => labels[label] === value))
      .map((node) => {
        const { name, from } = node
        const reason = reasonOf?.(node)
        return { name, ...(from !== undefined && { since: from }), ...(reason !== undefined && { reason }) }
      })
  }
}
