import { createHash } from 'node:crypto'
import type { GrantedPart, UploadedPart, UploadPlan } from '@tapdeck/objects'
import { Damaged } from '../damaged.ts'
import { nodeFileName } from '../node-file-name.ts'
import { parseIndex } from '../segment-index/index-file.ts'
import { countsOf, type NodeResult } from '../snapshot-writer.ts'
import { nodeState, requireOpen, withNode } from '../stored-snapshot.ts'
import { type ArchivedExtra, dataKey, indexKey, sumsKey } from './archived.ts'
import { SUM_BLOCK, sumsBytes } from './block-sums.ts'
import type { CaptureSummary } from './capture-digest.ts'
import { type ArchiveTarget, noteArchive } from './note-archive.ts'
import { RemoteFile } from './remote-file.ts'
import { partBytesOf } from './upload-file.ts'

/** S3 allows no more. */
const MAX_PARTS = 10_000
/** A grant is used at once; one that is found later is of no use. */
const GRANT_SECONDS = 300
/** Blocks that are read again, of a capture that has more. */
const SAMPLES = 4

export interface GrantedUploadTarget extends ArchiveTarget {
  readonly node: string
  /** What the capture is expected to have. More is possible, within the limit of parts. */
  readonly expectedBytes: number
  /** Bytes of a capture arrived in the bucket. */
  sent(bytes: number): void
}

/**
 * The capture of one node, which its worker sends to the bucket itself. This side begins the upload, signs an address for each
 * part, looks at what arrived and completes it: the worker has no credentials, and what it says is compared with the bucket.
 */
export class GrantedUpload {
  readonly partBytes: number
  readonly #target: GrantedUploadTarget
  readonly #file: string
  readonly #plan: UploadPlan
  /** Parts that arrived, by number. */
  readonly #arrived = new Map<number, GrantedPart>()
  readonly #granted = new Map<number, GrantedPart>()
  #ended = false

  private constructor(target: GrantedUploadTarget, file: string, plan: UploadPlan) {
    this.#target = target
    this.#file = file
    this.#plan = plan
    // Twice as much as expected still fits.
    this.partBytes = partBytesOf(2 * target.expectedBytes)
  }

  /** The ids of snapshot and upload are noted before the first grant: what a crash leaves is found by them. */
  static async begin(target: GrantedUploadTarget): Promise<GrantedUpload> {
    const { objects, entries, name, node } = target
    requireOpen(entries.get(name), node)
    const file = nodeFileName(node, '.pcapng')
    const before = entries.get(name).archive?.uploads
    const { id } = await noteArchive(target, { uploads: before ?? {} })
    const plan = await objects.beginUpload(dataKey(id, file))
    const { uploads } = entries.get(name).archive!
    await noteArchive(target, { uploads: { ...uploads, [file]: plan.id } })
    entries.set(name, withNode(entries.get(name), nodeState(node, 'in_progress')))
    return new GrantedUpload(target, file, plan)
  }

  /** Bytes that arrived. */
  get bytes(): number {
    let sum = 0
    for (const { size } of this.#arrived.values()) sum += size
    return sum
  }

  /** The address for a part; undefined where the same part has arrived before. Throws `Damaged` for one that cannot be. */
  async grant(part: GrantedPart): Promise<string | undefined> {
    const { number, size, md5 } = part
    if (number < 1 || number > MAX_PARTS || size < 1 || size > this.partBytes)
      throw new Damaged(`there is no part ${number} of ${size} bytes`)
    const known = this.#arrived.get(number)
    if (known?.md5 === md5 && known.size === size) return undefined
    this.#arrived.delete(number)
    this.#granted.set(number, part)
    return this.#target.objects.grantPart(this.#plan, part, GRANT_SECONDS)
  }

  /** The worker says that it sent a part. Throws `Damaged` where it had no grant for it. */
  arrived(number: number): void {
    const part = this.#granted.get(number)
    if (part === undefined) throw new Damaged(`part ${number} was not granted`)
    this.#granted.delete(number)
    this.#arrived.set(number, part)
    this.#target.sent(part.size)
  }

  /** Makes it the node's part of the snapshot. Throws `Damaged` where the bucket has something else. */
  async complete(capture: CaptureSummary, counts: Omit<NodeResult, 'size_bytes'>): Promise<void> {
    const { objects } = this.#target
    const { size_bytes: size, sums, index } = capture
    if (sums.length !== sumsBytes(size)) throw new Damaged(`the checksums are not those of ${size} bytes`)
    const parts = await this.#parts(size)
    const doubtful = this.#areProven(parts) ? [] : parts
    await objects.completeUpload(this.#plan, parts)
    const { key } = this.#plan
    const found = await objects.sizeOf(key)
    if (found !== size) throw new Damaged(`${key} has ${found ?? 'no'} bytes, not ${size}`)
    await this.#compareSamples(capture, doubtful)
    const { id } = this.#target.entries.get(this.#target.name).archive!
    const isUsable = index !== undefined && parseIndex(index, size) !== undefined
    if (isUsable) await objects.put(indexKey(id, this.#file), index)
    await objects.put(sumsKey(id, this.#file), sums)
    await this.#finish(capture, isUsable ? index : undefined, counts)
  }

  /** Ends it without a result, and leaves nothing. Does not throw: what the bucket does not do now is done by `tidy`. */
  async abort(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    const { objects, entries, name } = this.#target
    const { key } = this.#plan
    await objects.abortUpload(this.#plan).catch(() => {})
    await objects.remove([key, `${key}.sums`, `${key}.idx`]).catch(() => {})
    const entry = entries.find(name)
    if (entry === undefined) return
    // An upload by the hub must not continue this one: its parts may have other bytes.
    const { [this.#file]: _, ...uploads } = entry.archive?.uploads ?? {}
    await noteArchive(this.#target, { uploads }).catch(() => {})
  }

  /** The parts of the whole, as the bucket lists them. */
  async #parts(size: number): Promise<UploadedPart[]> {
    const listed = await this.#target.objects.uploadedParts(this.#plan)
    const byNumber = new Map(listed?.map((part) => [part.number, part]))
    const parts: UploadedPart[] = []
    for (let at = 0; at < size; at += this.partBytes) {
      const number = parts.length + 1
      const expected = Math.min(this.partBytes, size - at)
      const part = byNumber.get(number)
      if (part?.size !== expected || this.#arrived.get(number)?.size !== expected)
        throw new Damaged(`part ${number} has ${part?.size ?? 'no'} bytes in the bucket, not ${expected}`)
      parts.push(part)
    }
    if (parts.length === 0) throw new Damaged('it has no bytes')
    return parts
  }

  /**
   * Whether the bucket says that each part has the MD5 that it was granted for. The bytes of an earlier attempt may arrive late, over
   * those of this one. Storages that encrypt with keys of their own have other tags: then no part says anything. Throws `Damaged`.
   */
  #areProven(parts: readonly UploadedPart[]): boolean {
    const others = parts.filter(({ number, etag }) => !hasTag(this.#arrived.get(number)!, etag))
    if (others.length > 0 && others.length < parts.length)
      throw new Damaged(`part ${others[0]!.number} has other bytes in the bucket than its grant`)
    return others.length === 0
  }

  /** Whether the checksums are those of the object: of the first block, the last, some between, and one of each doubtful part. */
  async #compareSamples(
    { size_bytes: size, sums }: CaptureSummary,
    doubtful: readonly UploadedPart[],
  ): Promise<void> {
    const remote = new RemoteFile(this.#target.objects, this.#plan.key, size, sums)
    const blocks = Math.ceil(size / SUM_BLOCK)
    const chosen = new Set([0, blocks - 1])
    for (let one = chosen.size; one < Math.min(SAMPLES, blocks); one++)
      chosen.add(Math.floor(Math.random() * blocks))
    for (const part of doubtful)
      chosen.add(Math.floor(((part.number - 1) * this.partBytes + part.size / 2) / SUM_BLOCK))
    for (const block of chosen) await remote.block(block * SUM_BLOCK, Math.min(size, (block + 1) * SUM_BLOCK))
  }

  async #finish(
    { size_bytes, sha256, sums }: CaptureSummary,
    index: Uint8Array | undefined,
    result: Omit<NodeResult, 'size_bytes'>,
  ): Promise<void> {
    const { entries, name, node } = this.#target
    const [file, entry] = [this.#file, entries.get(name)]
    this.#ended = true
    const { [file]: _, ...uploads } = entry.archive!.uploads ?? {}
    const described: ArchivedExtra | undefined = index && {
      file: `${file}.idx`,
      size_bytes: index.length,
      sha256: digest(index),
    }
    const archived = { file, sums_sha256: digest(sums), ...(described && { index: described }) }
    const archive = { ...entry.archive!, uploads, files: [...(entry.archive!.files ?? []), archived] }
    const files = [...entry.files, { node, file, sha256, remote: true as const }]
    const counts = { size_bytes, ...countsOf(result) }
    entries.set(name, withNode({ ...entry, files, archive }, { name: node, status: 'completed', ...counts }))
    await entries.save(name)
  }
}

/** Mostly the tag of a part is its MD5, in quotes. */
function hasTag({ md5 }: GrantedPart, etag: string): boolean {
  return etag.replaceAll('"', '').toLowerCase() === Buffer.from(md5, 'base64').toString('hex')
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
