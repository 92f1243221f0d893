import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { ObjectStore, UploadedPart, UploadPlan } from '@tapdeck/objects'
import { Damaged } from '../damaged.ts'
import { BlockSummer } from './block-sums.ts'

/** S3 wants 5 MiB at least; each part that is on its way takes as much memory. */
const MIN_PART = 8 * 1024 * 1024
/** S3 allows 10 000 parts. */
const MAX_PARTS = 9_000
/** Parts on their way at the same time; each takes its size in memory. */
const AT_ONCE = 3

export interface FileUpload {
  readonly objects: ObjectStore
  readonly key: string
  readonly path: string
  readonly size: number
  readonly sha256: string
  /** An upload of an earlier run. */
  readonly resume: string | undefined
  /** Notes the id of an upload before its first part is sent. */
  begun(id: string): Promise<void>
  readonly signal: AbortSignal
  /** Bytes that arrived in the bucket. */
  readonly sent?: (bytes: number) => void
}

/**
 * Brings one file into the bucket, in parts; parts that an earlier run sent are not sent again. The object appears only if
 * its bytes have the checksum that was taken when they were recorded. Returns the checksums of its blocks.
 */
export async function uploadFile(upload: FileUpload): Promise<Uint8Array> {
  const { objects, key, path, size, sha256, signal, sent: count } = upload
  const partBytes = partBytesOf(size)
  const inParts = size > partBytes ? await plan(upload) : undefined
  const done: UploadedPart[] = []
  const sending = new Set<Promise<unknown>>()
  const [whole, sums] = [createHash('sha256'), new BlockSummer()]
  const file = await open(path, 'r')
  try {
    for (let at = 0, number = 1; at < size || number === 1; number++) {
      signal.throwIfAborted()
      const bytes = await readExactly(file, at, Math.min(partBytes, size - at), path)
      whole.update(bytes)
      sums.update(bytes)
      at += bytes.length
      if (inParts === undefined) {
        requireSame(whole.digest('hex'), sha256, path)
        await objects.put(key, bytes)
        count?.(bytes.length)
        break
      }
      const sent = inParts.parts.get(number)
      if (sent?.size === bytes.length) {
        done.push(sent)
        continue
      }
      const part = objects.uploadPart(inParts, number, bytes, signal).then((one) => {
        done.push(one)
        count?.(one.size)
      })
      // Awaited below; a failure before that must not count as unhandled.
      part.catch(() => {})
      sending.add(part)
      part.finally(() => sending.delete(part)).catch(() => {})
      if (sending.size >= AT_ONCE) await Promise.race(sending)
    }
    await Promise.all(sending)
    if (inParts) {
      const isSame = whole.digest('hex') === sha256
      if (!isSame) await objects.abortUpload(inParts)
      requireSame(isSame ? sha256 : '', sha256, path)
      await objects.completeUpload(
        inParts,
        done.sort((a, b) => a.number - b.number),
      )
    }
    return sums.end()
  } finally {
    await Promise.allSettled(sending)
    await file.close()
  }
}

/** How large the parts of a file of this size are. */
export function partBytesOf(size: number): number {
  return Math.max(MIN_PART, Math.ceil(size / MAX_PARTS))
}

/** The upload to be continued, or another one. */
async function plan({
  objects,
  key,
  resume,
  begun,
}: FileUpload): Promise<UploadPlan & { readonly parts: ReadonlyMap<number, UploadedPart> }> {
  const earlier = resume === undefined ? undefined : { key, id: resume }
  const parts = earlier && (await objects.uploadedParts(earlier))
  if (earlier && parts) return { ...earlier, parts: new Map(parts.map((part) => [part.number, part])) }
  const upload = await objects.beginUpload(key)
  await begun(upload.id)
  return { ...upload, parts: new Map() }
}

async function readExactly(
  file: Awaited<ReturnType<typeof open>>,
  at: number,
  length: number,
  path: string,
): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let read = 0; read < length; ) {
    const { bytesRead } = await file.read(bytes, read, length - read, at + read)
    if (bytesRead === 0) throw new Damaged(`${path} is shorter than it was`)
    read += bytesRead
  }
  return bytes
}

function requireSame(found: string, expected: string, path: string): void {
  if (found !== expected) throw new Damaged(`${path} does not match its checksum; it was not uploaded`)
}
