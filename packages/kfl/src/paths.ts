import { fieldPaths, gateOf } from './read-field.ts'
import type { TestNode, ValueNode } from './typed-node.ts'

/** The paths of a call that a checked filter may read, each once. */
export function testPaths(node: TestNode): readonly string[] {
  const paths = new Set<string>()
  visitTest(node, paths)
  return [...paths]
}

function visitTest(node: TestNode, paths: Set<string>): void {
  switch (node.kind) {
    case 'always':
      return
    case 'and':
    case 'or':
      for (const part of node.parts) visitTest(part, paths)
      return
    case 'not':
      visitTest(node.of, paths)
      return
    case 'compare':
      visitValue(node.left, paths)
      visitValue(node.right, paths)
      return
    case 'quantifier':
      visitValue(node.list, paths)
      visitTest(node.body, paths)
      return
    case 'text':
      visitValue(node.part, paths)
      break
    case 'element':
      visitValue(node.list, paths)
      break
    case 'key':
      visitValue(node.map, paths)
      break
  }
  visitValue(node.of, paths)
}

function visitValue(node: ValueNode, paths: Set<string>): void {
  switch (node.kind) {
    case 'constant':
    case 'variable':
      return
    case 'field':
      for (const path of fieldPaths(node.field)) paths.add(path)
      if (gateOf(node.field)) paths.add('proto')
      return
    case 'member':
      visitValue(node.of, paths)
      visitValue(node.key, paths)
      return
    case 'otherwise':
      visitValue(node.of, paths)
      visitValue(node.otherwise, paths)
      return
    case 'arithmetic':
    case 'concat':
      visitValue(node.left, paths)
      visitValue(node.right, paths)
      return
    case 'size':
    case 'convert':
      visitValue(node.of, paths)
      return
    case 'choose':
      visitTest(node.test, paths)
      visitValue(node.yes, paths)
      visitValue(node.no, paths)
      return
    case 'test':
      visitTest(node.of, paths)
      return
    case 'list':
      for (const item of node.items) visitValue(item, paths)
      return
    case 'filter':
      visitValue(node.list, paths)
      visitTest(node.body, paths)
      return
    case 'map':
      visitValue(node.list, paths)
      visitValue(node.body, paths)
  }
}
