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

/** What follows the id of a call in a path, such as `/explain`. */
const AFTER_ID = /\{id\}(\/[^{}]*)?$/

/** A path in Hono's notation. A call's id holds slashes, and people paste it as it is: it takes all that follows. */
export function pattern(path: string): string {
  return path
    .replace(AFTER_ID, (_, rest: string = '') => `:id{.+${rest}}`)
    .replace(/(?<=\/)\{(\w+)\}/g, ':$1')
}

/** The parameters that Hono found in an address, without what follows an id. */
export function parametersIn(
  path: string,
  found: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [, rest] = AFTER_ID.exec(path) ?? []
  const { id } = found
  return rest === undefined || id === undefined ? found : { ...found, id: id.slice(0, -rest.length) }
}
