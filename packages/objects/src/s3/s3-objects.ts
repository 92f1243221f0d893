import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { ownAgents } from '@tapdeck/own-ports'
import type {
  GrantedPart,
  ObjectStore,
  ObjectUpload,
  PutCondition,
  StoredObject,
  UploadedPart,
  UploadPlan,
  VersionedObject,
} from '../object-store.ts'
import { StorageProblem } from '../storage-problem.ts'
import { explain } from './explain.ts'
import type { S3Settings } from './s3-settings.ts'

const REMOVED_AT_ONCE = 8
const CONNECT_WITHIN_MS = 10_000
const ANSWER_WITHIN_MS = 60_000
/** As many as the SDK opens by default. */
const MAX_CONNECTIONS = 50

/** A bucket by the AWS SDK. */
export class S3Objects implements ObjectStore {
  readonly address: string
  readonly #settings: S3Settings
  readonly #client: S3Client
  readonly #encryption: {
    readonly ServerSideEncryption?: 'AES256' | 'aws:kms'
    readonly SSEKMSKeyId?: string
  }

  #wantsBareTags = false
  #hasConditions = true

  constructor(settings: S3Settings) {
    const { bucket, prefix, endpoint, region, pathStyle, encryption, kmsKey, ports } = settings
    const { http, https } = ownAgents(ports, { maxSockets: MAX_CONNECTIONS })
    this.#settings = settings
    this.address = `s3://${bucket}/${prefix}`
    this.#encryption = {
      ...(encryption !== '' && { ServerSideEncryption: encryption }),
      ...(kmsKey !== '' && { SSEKMSKeyId: kmsKey }),
    }
    this.#client = new S3Client({
      region:
        region === '' ? (process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1') : region,
      forcePathStyle: pathStyle,
      // Other storages than that of AWS do not know the checksums that the SDK would add; each part has its MD5.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        httpAgent: http,
        httpsAgent: https,
        connectionTimeout: CONNECT_WITHIN_MS,
        requestTimeout: ANSWER_WITHIN_MS,
        // It would only warn, and wait for ever.
        throwOnRequestTimeout: true,
      },
      ...(endpoint !== '' && { endpoint }),
    })
  }

  async put(
    key: string,
    bytes: Uint8Array,
    { onlyNew = false, replaces }: PutCondition = {},
    signal?: AbortSignal,
  ): Promise<string> {
    const object = {
      ...{ ...this.#at(key), ...this.#encryption },
      ...{ Body: bytes, ContentLength: bytes.length, ContentMD5: md5(bytes) },
      ...(onlyNew && { IfNoneMatch: '*' }),
    }
    if (replaces === undefined) return this.#put(object, signal)
    const bare = replaces.replaceAll('"', '')
    const first = this.#wantsBareTags ? bare : replaces
    try {
      return await this.#put({ ...object, IfMatch: first }, signal)
    } catch (error) {
      if (!(error instanceof StorageProblem) || error.kind !== 'exists' || first === bare) throw error
    }
    // Some storages, such as Ceph 16, find a tag in quotes never the same. The condition is the same without them.
    const version = await this.#put({ ...object, IfMatch: bare }, signal)
    this.#wantsBareTags = true
    return version
  }

  async #put(object: PutObjectCommandInput, signal: AbortSignal | undefined): Promise<string> {
    const { ETag = '' } = await this.#do('write an object', () =>
      this.#client.send(new PutObjectCommand(object), options(signal)),
    )
    return ETag
  }

  async putAfterLook(key: string, bytes: Uint8Array, condition: PutCondition): Promise<string> {
    if (this.#hasConditions)
      try {
        return await this.put(key, bytes, condition)
      } catch (error) {
        if (!(error instanceof StorageProblem) || error.kind !== 'unsupported') throw error
        this.#hasConditions = false
      }
    const found = (await this.#lookAt(key))?.ETag
    if (condition.onlyNew ? found !== undefined : found !== condition.replaces)
      throw new StorageProblem(
        found === undefined ? 'missing' : 'exists',
        `another writer changed ${key} in ${this.address}`,
      )
    return this.put(key, bytes)
  }

  async get(key: string, maxBytes: number): Promise<Uint8Array | undefined> {
    return (await this.getVersion(key, maxBytes))?.bytes
  }

  getVersion(key: string, maxBytes: number, signal?: AbortSignal): Promise<VersionedObject | undefined> {
    return this.#unlessMissing('read an object', async () => {
      const answer = await this.#client.send(new GetObjectCommand(this.#at(key)), options(signal))
      const bytes = await bodyOf(answer, answer.ContentLength ?? 0, maxBytes)
      return { bytes, version: answer.ETag ?? '' }
    })
  }

  read(key: string, from: number, end: number, signal?: AbortSignal): Promise<Uint8Array> {
    if (end <= from) return Promise.resolve(new Uint8Array(0))
    return this.#do('read a range', async () => {
      const range = { ...this.#at(key), Range: `bytes=${from}-${end - 1}` }
      const answer = await this.#client.send(new GetObjectCommand(range), options(signal))
      const bytes = await bodyOf(answer, end - from, end - from)
      if (bytes.length !== end - from)
        throw new StorageProblem(
          'damaged',
          `${key} has ${bytes.length} bytes from ${from}, not ${end - from}`,
        )
      return bytes
    })
  }

  async sizeOf(key: string): Promise<number | undefined> {
    const found = await this.#lookAt(key)
    return found && (found.ContentLength ?? 0)
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for (let token: string | undefined; ; ) {
      const { Contents = [], NextContinuationToken } = await this.#do('list objects', () =>
        this.#client.send(
          new ListObjectsV2Command({ ...this.#below(prefix), ...(token && { ContinuationToken: token }) }),
        ),
      )
      for (const { Key = '', Size = 0, LastModified } of Contents)
        yield { key: this.#relative(Key), size: Size, modified: LastModified?.getTime() ?? 0 }
      if (NextContinuationToken === undefined) return
      token = NextContinuationToken
    }
  }

  /** One by one: the deletion of several at once needs a checksum that not every storage knows. */
  async remove(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE)
      await Promise.all(
        keys
          .slice(at, at + REMOVED_AT_ONCE)
          .map((key) =>
            this.#unlessMissing('delete an object', () =>
              this.#client.send(new DeleteObjectCommand(this.#at(key))),
            ),
          ),
      )
  }

  async beginUpload(key: string): Promise<UploadPlan> {
    const { UploadId } = await this.#do('begin an upload', () =>
      this.#client.send(new CreateMultipartUploadCommand({ ...this.#at(key), ...this.#encryption })),
    )
    if (UploadId === undefined) throw new StorageProblem('failed', 'the storage gave no id for an upload')
    return { key, id: UploadId }
  }

  uploadPart(
    upload: UploadPlan,
    number: number,
    bytes: Uint8Array,
    signal?: AbortSignal,
  ): Promise<UploadedPart> {
    return this.#do('upload a part', async () => {
      const part = {
        ...this.#of(upload),
        PartNumber: number,
        Body: bytes,
        ContentLength: bytes.length,
        ContentMD5: md5(bytes),
      }
      const { ETag = '' } = await this.#client.send(new UploadPartCommand(part), options(signal))
      return { number, etag: ETag, size: bytes.length }
    })
  }

  /** Length and MD5 are signed: the storage takes no other bytes. */
  grantPart(upload: UploadPlan, { number, size, md5 }: GrantedPart, seconds: number): Promise<string> {
    const part = { ...this.#of(upload), PartNumber: number, ContentLength: size, ContentMD5: md5 }
    return this.#do('sign a grant', () =>
      getSignedUrl(this.#client, new UploadPartCommand(part), {
        expiresIn: seconds,
        signableHeaders: new Set(['host', 'content-length', 'content-md5']),
      }),
    )
  }

  async uploadedParts(upload: UploadPlan): Promise<UploadedPart[] | undefined> {
    const found: UploadedPart[] = []
    for (let marker: string | undefined; ; ) {
      const page = await this.#unlessMissing('list parts', () =>
        this.#client.send(
          new ListPartsCommand({ ...this.#of(upload), ...(marker && { PartNumberMarker: marker }) }),
        ),
      )
      if (page === undefined) return undefined
      for (const { PartNumber = 0, ETag = '', Size = 0 } of page.Parts ?? [])
        found.push({ number: PartNumber, etag: ETag, size: Size })
      if (!page.IsTruncated || page.NextPartNumberMarker === undefined) return found
      marker = page.NextPartNumberMarker
    }
  }

  async completeUpload(upload: UploadPlan, parts: readonly UploadedPart[]): Promise<void> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
    await this.#do('complete an upload', () =>
      this.#client.send(
        new CompleteMultipartUploadCommand({ ...this.#of(upload), MultipartUpload: { Parts } }),
      ),
    )
  }

  async abortUpload(upload: UploadPlan): Promise<void> {
    await this.#unlessMissing('abort an upload', () =>
      this.#client.send(new AbortMultipartUploadCommand(this.#of(upload))),
    )
  }

  async uploads(prefix: string): Promise<ObjectUpload[]> {
    const found: ObjectUpload[] = []
    for (let marker: { KeyMarker: string; UploadIdMarker?: string } | undefined; ; ) {
      const page = await this.#do('list uploads', () =>
        this.#client.send(new ListMultipartUploadsCommand({ ...this.#below(prefix), ...marker })),
      )
      for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? [])
        found.push({ key: this.#relative(Key), id: UploadId, begun: Initiated?.getTime() ?? 0 })
      if (!page.IsTruncated || page.NextKeyMarker === undefined) return found
      const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
      marker = { KeyMarker, ...(UploadIdMarker !== undefined && { UploadIdMarker }) }
    }
  }

  close(): void {
    this.#client.destroy()
  }

  async #do<Result>(doing: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw explain(error, doing, this.#settings)
    }
  }

  async #unlessMissing<Result>(doing: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await this.#do(doing, work)
    } catch (error) {
      if (error instanceof StorageProblem && error.kind === 'missing') return undefined
      throw error
    }
  }

  #lookAt(key: string): Promise<HeadObjectCommandOutput | undefined> {
    return this.#unlessMissing('look at an object', () =>
      this.#client.send(new HeadObjectCommand(this.#at(key))),
    )
  }

  #absolute(key: string): string {
    return this.#settings.prefix + key
  }

  #relative(key: string): string {
    return key.slice(this.#settings.prefix.length)
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#settings.bucket, Key: this.#absolute(key) }
  }

  #below(prefix: string): { readonly Bucket: string; readonly Prefix: string } {
    return { Bucket: this.#settings.bucket, Prefix: this.#absolute(prefix) }
  }

  #of({ key, id }: UploadPlan): { readonly Bucket: string; readonly Key: string; readonly UploadId: string } {
    return { ...this.#at(key), UploadId: id }
  }
}

/** A storage that ignores a range would send the whole object. */
async function bodyOf({ Body }: GetObjectCommandOutput, size: number, maxBytes: number): Promise<Uint8Array> {
  if (Body === undefined) return new Uint8Array(0)
  if (size > maxBytes) throw new StorageProblem('too_large', `an object of ${size} bytes is too large`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of Body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new StorageProblem('too_large', `more than ${maxBytes} bytes came`)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

function options(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {}
}

/** Every storage compares it before it keeps the bytes. */
function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('base64')
}
