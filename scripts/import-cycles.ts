import { dirname, join } from 'node:path'

/** A relative import: the file with the statement, and what it names. */
export interface RelativeImport {
  readonly file: string
  readonly from: string
}

/** Groups of files that import each other, directly or through others: strongly connected components (Tarjan). */
export function importCycles(imports: readonly RelativeImport[]): string[][] {
  const targets = new Map<string, Set<string>>()
  for (const { file, from } of imports) {
    if (!from.startsWith('.')) continue
    const known = targets.get(file)
    if (known === undefined) targets.set(file, new Set([join(dirname(file), from)]))
    else known.add(join(dirname(file), from))
  }
  const order = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const cycles: string[][] = []

  function visit(file: string): number {
    const number = order.size
    let low = number
    order.set(file, number)
    stack.push(file)
    onStack.add(file)
    for (const target of targets.get(file) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (onStack.has(target)) low = Math.min(low, order.get(target) ?? low)
    }
    if (low < number) return low
    const group = stack.splice(stack.indexOf(file))
    for (const member of group) onStack.delete(member)
    if (group.length > 1 || targets.get(file)?.has(file)) cycles.push(group.toSorted())
    return low
  }

  for (const file of targets.keys()) if (!order.has(file)) visit(file)
  return cycles
}
