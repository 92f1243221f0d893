import type { OperationName, OperationOutput, OperationRequest } from '@tapdeck/api'
import { queryText, type RequestOptions, request } from './request.ts'
import { routes } from './routes.ts'

/** The input of an operation. Undefined values are not sent. */
export type OperationParameters<Name extends OperationName> = {
  readonly [Key in keyof OperationRequest<Name>]: OperationRequest<Name>[Key] | undefined
}

/** Calls an operation of the hub. Method, path, input and output come from the table of operations. */
export function callOperation<Name extends OperationName>(
  name: Name,
  input: OperationParameters<Name>,
  signal?: AbortSignal,
): Promise<OperationOutput<Name>> {
  const { method } = routes[name]
  const { path, rest } = fillPath(name, input)
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const options: RequestOptions = { method, signal, ...(hasBody ? { body: rest } : { query: rest }) }
  return request(path, options)
}

/** The address of an operation that is a download. */
export function addressOf<Name extends OperationName>(name: Name, input: OperationParameters<Name>): string {
  const { path, rest } = fillPath(name, input)
  return `${path}${queryText(rest)}`
}

function fillPath(name: OperationName, input: object): { path: string; rest: Record<string, unknown> } {
  const rest: Record<string, unknown> = { ...input }
  const path = routes[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    const value = String(rest[key])
    delete rest[key]
    return encodeURIComponent(value)
  })
  return { path, rest }
}
