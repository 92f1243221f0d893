import type { TestNode, ValueNode } from './typed-node.ts'

type Node = TestNode | ValueNode

/**
 * The number of nodes that a pass over a checked filter visits. Branches of `a ? b : c` share their test, so that
 * nested ones are visited exponentially often: each node is counted as often as it is reached, but walked once.
 */
export function treeSize(root: Node): number {
  const sizes = new Map<Node, number>()
  const sizeOf = (node: Node): number => {
    const known = sizes.get(node)
    if (known !== undefined) return known
    let size = node.kind === 'one-of' ? 1 + node.values.length : 1
    for (const child of childrenOf(node)) size += sizeOf(child)
    sizes.set(node, size)
    return size
  }
  return sizeOf(root)
}

function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'always':
    case 'constant':
    case 'field':
    case 'variable':
      return []
    case 'and':
    case 'or':
      return node.parts
    case 'list':
      return node.items
    case 'compare':
    case 'arithmetic':
    case 'concat':
      return [node.left, node.right]
    case 'text':
      return [node.of, node.part]
    case 'element':
      return [node.of, node.list]
    case 'key':
      return [node.of, node.map]
    case 'member':
      return [node.of, node.key]
    case 'otherwise':
      return [node.of, node.otherwise]
    case 'choose':
      return [node.test, node.yes, node.no]
    case 'quantifier':
    case 'filter':
    case 'map':
      return [node.list, node.body]
    default:
      return [node.of]
  }
}
