import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The credentials that the server of the tests accepts. */
export const testCredentials = { accessKeyId: 'tests', secretAccessKey: 'not-a-secret' } as const

/** Whether a request is signed as AWS Signature Version 4 says, with the credentials of the tests. */
export function isSigned(method: string, address: URL, headers: IncomingHttpHeaders): boolean {
  const found = /Credential=([^,]+),\s*SignedHeaders=([^,]+),\s*Signature=([0-9a-f]+)/.exec(
    headers.authorization ?? '',
  )
  if (found === null) return false
  const [, credential = '', signedHeaders = '', signature] = found
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
    String(headers['x-amz-content-sha256']),
  ].join('\n')
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(
    (secret, part) => hmac(secret, part),
    `AWS4${testCredentials.secretAccessKey}`,
  )
  return hmac(key, text).toString('hex') === signature
}

function canonicalQuery(address: URL): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return [...address.searchParams]
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
