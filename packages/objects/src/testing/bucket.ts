import { createHash, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export class S3Error extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

export interface S3Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

interface Request {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
}

interface Upload {
  readonly key: string
  readonly begun: number
  readonly parts: Map<number, Buffer>
}

const MIN_PART = 5 * 1024 * 1024

/** The objects and uploads of a bucket, and what S3 answers about them. */
export class Bucket {
  readonly objects = new Map<string, { bytes: Buffer; modified: number; headers: IncomingHttpHeaders }>()
  readonly uploads = new Map<string, Upload>()
  /** Objects of one page of a listing. */
  pageSize = 1000
  /** Objects that listings do not show yet. */
  readonly unlisted = new Set<string>()
  /** Bytes that fit in. */
  maxBytes = Number.POSITIVE_INFINITY
  now: () => number = Date.now
  /** The gateway of Ceph 16 compares the tag of `If-Match` at a PUT only if it has no quotes. */
  wantsBareTags = false
  /** As of a storage that does not know such a condition of a PUT. */
  ignores: 'if-none-match' | 'if-match' | undefined
  /** OpenStack Swift refuses any condition of a PUT. */
  refusesConditions = false
  /** The tag of an object or a part; storages that encrypt have others. */
  tagOf: (bytes: Buffer) => string = (bytes) => createHash('md5').update(bytes).digest('hex')

  keys(): string[] {
    return [...this.objects.keys()].sort()
  }

  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.objects.values()) sum += bytes.length
    for (const { parts } of this.uploads.values()) for (const part of parts.values()) sum += part.length
    return sum
  }

  answer(request: Request, headers: IncomingHttpHeaders, body: Buffer): S3Answer {
    const { method, key, query } = request
    if (method === 'GET' && key === '')
      return query.has('uploads') ? this.#listUploads(query) : this.#listObjects(query)
    if (method === 'POST' && query.has('uploads')) return this.#begin(key)
    if (query.has('uploadId')) return this.#ofUpload(request, headers, body)
    if (method === 'PUT') return this.#put(key, headers, body)
    if (method === 'GET' || method === 'HEAD') return this.#get(key, headers.range)
    if (method === 'DELETE') {
      this.objects.delete(key)
      return { status: 204 }
    }
    throw new S3Error(405, 'MethodNotAllowed')
  }

  #put(key: string, sent: IncomingHttpHeaders, body: Buffer): S3Answer {
    const headers = this.ignores === undefined ? sent : { ...sent, [this.ignores]: undefined }
    if (this.refusesConditions && (headers['if-none-match'] ?? headers['if-match']) !== undefined)
      throw new S3Error(501, 'NotImplemented')
    if (headers['if-none-match'] === '*' && this.objects.has(key))
      throw new S3Error(412, 'PreconditionFailed')
    const expected = headers['if-match']
    const found = this.objects.get(key)
    if (expected !== undefined && found === undefined) throw new S3Error(404, 'NoSuchKey')
    const tag = found && this.#etag(found.bytes)
    if (expected !== undefined && (this.wantsBareTags ? tag?.replaceAll('"', '') : tag) !== expected)
      throw new S3Error(412, 'PreconditionFailed')
    this.#store(headers, body)
    this.objects.set(key, { bytes: body, modified: this.now(), headers })
    return { status: 200, headers: { etag: this.#etag(body) } }
  }

  #store(headers: IncomingHttpHeaders, body: Buffer): void {
    if (headers['content-md5'] !== createHash('md5').update(body).digest('base64'))
      throw new S3Error(400, 'BadDigest')
    if (this.bytes + body.length > this.maxBytes) throw new S3Error(507, 'QuotaExceeded')
  }

  #get(key: string, range: string | undefined): S3Answer {
    const found = this.objects.get(key)
    if (found === undefined) throw new S3Error(404, 'NoSuchKey')
    const asked = /^bytes=(\d+)-(\d+)$/.exec(range ?? '')
    if (asked === null) return { status: 200, headers: { etag: this.#etag(found.bytes) }, body: found.bytes }
    const [first, last] = [Number(asked[1]), Number(asked[2])]
    if (first >= found.bytes.length) throw new S3Error(416, 'InvalidRange')
    const body = found.bytes.subarray(first, last + 1)
    const end = first + body.length - 1
    return { status: 206, headers: { 'content-range': `bytes ${first}-${end}/${found.bytes.length}` }, body }
  }

  #begin(key: string): S3Answer {
    const id = randomUUID()
    this.uploads.set(id, { key, begun: this.now(), parts: new Map() })
    return xml(
      'InitiateMultipartUploadResult',
      `<Bucket>tests</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>`,
    )
  }

  #ofUpload({ method, key, query }: Request, headers: IncomingHttpHeaders, body: Buffer): S3Answer {
    const id = query.get('uploadId') ?? ''
    const upload = this.uploads.get(id)
    if (upload?.key !== key) throw new S3Error(404, 'NoSuchUpload')
    if (method === 'PUT') {
      this.#store(headers, body)
      upload.parts.set(Number(query.get('partNumber')), body)
      return { status: 200, headers: { etag: this.#etag(body) } }
    }
    if (method === 'GET') return this.#listParts(upload, query)
    if (method === 'DELETE') {
      this.uploads.delete(id)
      return { status: 204 }
    }
    const named = [
      ...String(body).matchAll(
        /<ETag>([^<]+)<\/ETag><PartNumber>(\d+)|<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)/g,
      ),
    ]
    const parts = named.map(([, etag, after, before, last]) => {
      const part = upload.parts.get(Number(after ?? before))
      const given = (etag ?? last ?? '').replaceAll('&quot;', '"')
      if (part === undefined || this.#etag(part) !== given) throw new S3Error(400, 'InvalidPart')
      return part
    })
    if (parts.slice(0, -1).some((part) => part.length < MIN_PART)) throw new S3Error(400, 'EntityTooSmall')
    this.uploads.delete(id)
    this.objects.set(key, { bytes: Buffer.concat(parts), modified: this.now(), headers })
    return xml('CompleteMultipartUploadResult', `<Key>${key}</Key><ETag>"done"</ETag>`)
  }

  #listObjects(query: URLSearchParams): S3Answer {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const all = this.keys().filter((key) => key.startsWith(prefix) && key > after && !this.unlisted.has(key))
    const page = all.slice(0, this.pageSize)
    const truncated = all.length > page.length
    const contents = page.map((key) => {
      const { bytes, modified } = this.objects.get(key)!
      return `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><LastModified>${new Date(modified).toISOString()}</LastModified></Contents>`
    })
    const next = truncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return xml('ListBucketResult', `<IsTruncated>${truncated}</IsTruncated>${next}${contents.join('')}`)
  }

  #listUploads(query: URLSearchParams): S3Answer {
    const prefix = query.get('prefix') ?? ''
    const found = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix))
    const uploads = found.map(
      ([id, { key, begun }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(begun).toISOString()}</Initiated></Upload>`,
    )
    return xml('ListMultipartUploadsResult', `<IsTruncated>false</IsTruncated>${uploads.join('')}`)
  }

  #listParts({ parts }: Upload, query: URLSearchParams): S3Answer {
    const after = Number(query.get('part-number-marker') ?? 0)
    const all = [...parts].filter(([number]) => number > after).sort(([a], [b]) => a - b)
    const page = all.slice(0, this.pageSize)
    const truncated = all.length > page.length
    const rows = page.map(
      ([number, bytes]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${this.#etag(bytes).replaceAll('"', '&quot;')}</ETag><Size>${bytes.length}</Size></Part>`,
    )
    const next = truncated ? `<NextPartNumberMarker>${page.at(-1)![0]}</NextPartNumberMarker>` : ''
    return xml('ListPartsResult', `<IsTruncated>${truncated}</IsTruncated>${next}${rows.join('')}`)
  }

  #etag(bytes: Buffer): string {
    return `"${this.tagOf(bytes)}"`
  }
}

function xml(root: string, inner: string): S3Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?><${root}>${inner}</${root}>`),
  }
}
