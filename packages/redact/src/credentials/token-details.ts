/** What is known of a credential without granting access. Times are Unix milliseconds. */
export interface CredentialDetails {
  /** What is shown for its value. */
  readonly hash: string
  readonly scheme?: string
  readonly key_id?: string
  readonly issuer?: string
  readonly issued_at?: number
  readonly not_before?: number
  readonly expires_at?: number
}

const JWT = /^(eyJ[\w-]+)\.([\w-]+)\.[\w-]*$/
const MAX_TEXT = 256
/** Longer ones are not looked into. */
const MAX_TOKEN = 16 * 1024

/** RFC 7519: what a token says of itself in the open; nothing for other values. */
export function tokenDetails(value: string): Omit<CredentialDetails, 'hash' | 'scheme'> {
  if (value.length > MAX_TOKEN) return {}
  const [, head, body] = JWT.exec(value) ?? []
  if (head === undefined || body === undefined) return {}
  const { kid } = object(head)
  const { iss, iat, nbf, exp } = object(body)
  return {
    ...text('key_id', kid),
    ...text('issuer', iss),
    ...time('issued_at', iat),
    ...time('not_before', nbf),
    ...time('expires_at', exp),
  }
}

function object(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function text<Name extends string>(name: Name, value: unknown): { [N in Name]?: string } {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT
    ? ({ [name]: value } as { [N in Name]?: string })
    : {}
}

/** NumericDate: seconds since the epoch. */
function time<Name extends string>(name: Name, value: unknown): { [N in Name]?: number } {
  return typeof value === 'number' && Number.isFinite(value)
    ? ({ [name]: Math.round(value * 1000) } as { [N in Name]?: number })
    : {}
}
