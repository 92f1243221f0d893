import { type InterfaceName, type Method, type OperationName, operations } from '@tapdeck/api'

/** One address of an operation. `alias`: at the root, without the requirements of an interface. */
export interface Route {
  readonly operation: OperationName
  readonly interface: InterfaceName | 'alias'
  readonly method: Method
  /** As in the table, `{name}` for a parameter. */
  readonly path: string
}

/** Every address of every operation, out of the one table. */
export const routes: readonly Route[] = (Object.keys(operations) as OperationName[]).flatMap((operation) => {
  const { method, path, interfaces, aliases = [] } = operations[operation]
  return [
    ...interfaces.map((name): Route => ({ operation, interface: name, method, path: `/${name}${path}` })),
    ...aliases.map((alias): Route => ({ operation, interface: 'alias', ...alias })),
  ]
})

/** The names of the parameters in a path. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}

/** A path in Hono's notation. A call's id holds slashes, and people paste it as it is. */
export function pattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? `:${name}{.+}` : `:${name}`))
}
