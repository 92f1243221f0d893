import { readFileSync } from 'node:fs'
import { UsageError } from '../arguments/usage-error.ts'

const MAX_BYTES = 65_536

interface Given {
  readonly options: { readonly token?: string | undefined; readonly 'token-file'?: string | undefined }
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The token of the options, else of the environment; undefined without one. Throws `UsageError`. */
export function tokenOf({ options, env }: Given): string | undefined {
  const { token, 'token-file': file } = options
  if (token !== undefined && file !== undefined)
    throw new UsageError('--token and --token-file: give one of them')
  if (token !== undefined) return oneWord(token, '--token')
  if (file !== undefined) return fromFile(file, '--token-file')
  if (env.TAPDECK_TOKEN) return oneWord(env.TAPDECK_TOKEN, 'TAPDECK_TOKEN')
  return env.TAPDECK_TOKEN_FILE ? fromFile(env.TAPDECK_TOKEN_FILE, 'TAPDECK_TOKEN_FILE') : undefined
}

function fromFile(path: string, from: string): string {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${from}: the file cannot be read: ${(error as Error).message}`)
  }
  const token = text.length > MAX_BYTES ? '' : text.trim()
  if (token === '') throw new UsageError(`${from}: there is no token in ${path}`)
  return oneWord(token, `${from} ${path}`)
}

/** What a header can carry. */
function oneWord(token: string, from: string): string {
  if (!/^[\x21-\x7e]*$/.test(token))
    throw new UsageError(`${from}: a token is one word, without blanks and line ends`)
  return token
}
