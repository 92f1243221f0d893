import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The credentials that the server of the tests accepts. */
export const testCredentials = { accessKeyId: 'tests', secretAccessKey: 'not-a-secret' } as const

/** What a request says of its signature. */
interface Claim {
  readonly credential: string
  readonly signedHeaders: string
  readonly signature: string
  readonly date: string
  readonly payload: string
}

/** Whether a request is signed as AWS Signature Version 4 says, in a header or in its address, with the credentials of the tests. */
export function isSigned(method: string, address: URL, headers: IncomingHttpHeaders): boolean {
  const claim = inHeader(headers) ?? inAddress(address)
  if (claim === undefined) return false
  const { credential, signedHeaders, signature, date: time, payload } = claim
  const [accessKey, date = '', region = '', service = ''] = credential.split('/')
  if (accessKey !== testCredentials.accessKeyId) return false
  const names = signedHeaders.split(';')
  const canonical = [
    method,
    address.pathname,
    canonicalQuery(address),
    ...names.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    signedHeaders,
    payload,
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${testCredentials.secretAccessKey}`,
  )
  return hmac(key, text).toString('hex') === signature
}

/** Whether a grant is too old, or of a clock that is ahead. */
export function isExpired({ searchParams }: URL, now: number): boolean {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(searchParams.get('X-Amz-Date') ?? '') ?? []
  if (year === undefined) return false
  const begin = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  const end = begin + Number(searchParams.get('X-Amz-Expires')) * 1000
  return now > end || begin - now > MAX_AHEAD_MS
}

const MAX_AHEAD_MS = 15 * 60_000

function inHeader(headers: IncomingHttpHeaders): Claim | undefined {
  const found = /Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]+)/.exec(
    headers.authorization ?? '',
  )
  if (found === null) return undefined
  const [, credential = '', signedHeaders = '', signature = ''] = found
  const [date, payload] = [String(headers['x-amz-date']), String(headers['x-amz-content-sha256'])]
  return { credential, signedHeaders, signature, date, payload }
}

function inAddress({ searchParams }: URL): Claim | undefined {
  const signature = searchParams.get('X-Amz-Signature')
  if (signature === null) return undefined
  return {
    signature,
    credential: searchParams.get('X-Amz-Credential') ?? '',
    signedHeaders: searchParams.get('X-Amz-SignedHeaders') ?? '',
    date: searchParams.get('X-Amz-Date') ?? '',
    payload: 'UNSIGNED-PAYLOAD',
  }
}

function canonicalQuery(address: URL): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return [...address.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
