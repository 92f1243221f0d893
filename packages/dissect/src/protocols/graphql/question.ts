import { type Operation, readOperations } from './document.ts'
import { isObject, type JsonObject, objectsOf, parseJson } from './json.ts'

/** What a request asks for. */
export interface Question {
  readonly operation_name?: string
  readonly operation_type?: Operation['type']
  readonly query?: string
  readonly variables?: unknown
  /** Hash of a query that the server is expected to know. */
  readonly persisted_query?: string
  /** How many operations one request carries, where it is a list of them. */
  readonly batch?: number
}

/** From the body, or from the parameters of a GET. */
export function readQuestion(
  body: string | undefined,
  parameters: readonly (readonly [name: string, value: unknown])[],
): Question {
  const objects = body === undefined ? [] : asked(body)
  const [first] = objects.length > 0 ? objects : [fromParameters(parameters)]
  return { ...read(first), ...(objects.length > 1 ? { batch: objects.length } : {}) }
}

function asked(body: string): JsonObject[] {
  const json = parseJson(body)
  if (json !== undefined) return objectsOf(json)
  // A document sent as it is (application/graphql), or JSON that is cut.
  return body.trimStart().startsWith('{"') ? [torn(body)] : [{ query: body }]
}

/** What can be had of a JSON body that ends too early. */
function torn(body: string): JsonObject {
  const found: Record<string, unknown> = {}
  for (const key of ['operationName', 'query']) {
    const text = new RegExp(`"${key}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*"?)`).exec(body)?.[1]
    if (text !== undefined) found[key] = parseJson(text.length > 1 && text.endsWith('"') ? text : `${text}"`)
  }
  return found
}

function fromParameters(parameters: readonly (readonly [string, unknown])[]): JsonObject {
  const found: Record<string, unknown> = {}
  for (const [name, value] of parameters) {
    if (typeof value !== 'string') continue
    found[name] = name === 'variables' || name === 'extensions' ? (parseJson(value) ?? value) : value
  }
  return found
}

function read({ operationName, query, variables, extensions }: JsonObject): Question {
  const operations = typeof query === 'string' ? readOperations(query) : []
  const given = typeof operationName === 'string' && operationName !== '' ? operationName : undefined
  const operation = operations.find(({ name }) => name === given) ?? operations[0]
  const name = given ?? operation?.name
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined
  const hash = isObject(persisted) ? persisted.sha256Hash : undefined
  return {
    ...(name === undefined ? {} : { operation_name: name }),
    ...(operation === undefined ? {} : { operation_type: operation.type }),
    ...(typeof query === 'string' ? { query } : {}),
    ...(isObject(variables) && Object.keys(variables).length > 0 ? { variables } : {}),
    ...(typeof hash === 'string' ? { persisted_query: hash } : {}),
  }
}
