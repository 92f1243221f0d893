import { isObject, type JsonObject, objectsOf, parseJson } from './json.ts'

/** What a response says about how it went. */
export interface Answer {
  /** How many errors it lists. */
  readonly errors?: number
  /** The first one's message. */
  readonly error?: string
  /** Its code, as servers put it into `extensions`. */
  readonly error_code?: string
}

/** The first message of an error list in a body that is cut further on. */
const FIRST_MESSAGE = /"errors"\s*:\s*\[\s*\{[^{}[\]]*?"message"\s*:\s*("(?:[^"\\]|\\.)*")/

export function readAnswer(body: string | undefined): Answer {
  if (body === undefined || !body.includes('"errors"')) return {}
  const json = parseJson(body)
  if (json === undefined) return readTorn(body)
  const errors: JsonObject[] = objectsOf(json).flatMap((one) =>
    Array.isArray(one.errors) ? one.errors.filter(isObject) : [],
  )
  if (errors.length === 0) return {}
  const [{ message, extensions }] = errors
  const code = isObject(extensions) ? extensions.code : undefined
  return {
    errors: errors.length,
    error: typeof message === 'string' && message !== '' ? message : 'GraphQL error',
    ...(typeof code === 'string' ? { error_code: code } : {}),
  }
}

/** Also the events of a stream: each has its answer after `data:`. */
function readTorn(body: string): Answer {
  for (const line of body.split('\n')) {
    if (!line.startsWith('data:') || !line.includes('"errors"')) continue
    const json = parseJson(line.slice(5))
    if (json !== undefined) {
      const answer = readAnswer(
        JSON.stringify(isObject(json) && isObject(json.payload) ? json.payload : json),
      )
      if (answer.errors !== undefined) return answer
    }
  }
  const text = FIRST_MESSAGE.exec(body)?.[1]
  const message = text === undefined ? undefined : parseJson(text)
  return typeof message === 'string' ? { error: message } : {}
}
