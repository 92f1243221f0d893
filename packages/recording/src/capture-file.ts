import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { compressionOf, Malformed, ZstdDecoder } from '@tapdeck/wire'

const CHUNK = 1 << 20

export interface CaptureFileOptions {
  /** Told once where compressed input ends early or is damaged; what came before it was handed on. */
  readonly damaged?: (reason: string) => void
}

/**
 * The bytes of a pcap or pcapng file, or of any stream of them; gzip and zstd are recognised by their magic and unpacked.
 * Throws what the file system throws, and `Malformed` for a zstd that wants more than is read here from its beginning.
 */
export async function* openCaptureFile(
  source: string | AsyncIterable<Uint8Array>,
  options: CaptureFileOptions = {},
): AsyncGenerator<Uint8Array> {
  const chunks = typeof source === 'string' ? createReadStream(source, { highWaterMark: CHUNK }) : source
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    const head = await readHead(iterator)
    const whole = rejoin(head, iterator)
    const compression = compressionOf(head)
    if (compression === 'gzip') yield* gunzip(whole, options)
    else if (compression === 'zstd') yield* unzstd(whole, options)
    else yield* whole
  } finally {
    await iterator.return?.()
  }
}

/** At least four bytes, where there are as many. */
async function readHead(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array(0)
  while (head.length < 4) {
    const { value, done } = await iterator.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  return head
}

async function* rejoin(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

async function* gunzip(
  packed: AsyncIterable<Uint8Array>,
  options: CaptureFileOptions,
): AsyncGenerator<Uint8Array> {
  const input = Readable.from(packed, { objectMode: false })
  const unpacked = createGunzip({ chunkSize: CHUNK })
  let failure: Error | undefined
  input.on('error', (error) => {
    failure = error
    unpacked.destroy(error)
  })
  input.pipe(unpacked)
  try {
    for await (const chunk of unpacked) yield chunk
  } catch (error) {
    if (failure) throw failure
    options.damaged?.(`compressed data ends early or is damaged (${(error as Error).message})`)
  } finally {
    input.destroy()
    unpacked.destroy()
  }
}

/** Never more than a chunk and a block at once, however little it was packed into. */
async function* unzstd(
  packed: AsyncIterable<Uint8Array>,
  options: CaptureFileOptions,
): AsyncGenerator<Uint8Array> {
  const decoder = new ZstdDecoder()
  let parts: Uint8Array[] = []
  let size = 0
  let any = false
  const keep = (bytes: Uint8Array, start: number, end: number): boolean => {
    parts.push(bytes.slice(start, end))
    size += end - start
    return size < CHUNK
  }
  const take = (): Uint8Array => {
    const chunk = parts.length === 1 ? parts[0] : Buffer.concat(parts)
    parts = []
    size = 0
    any = true
    return chunk
  }
  try {
    for await (const bytes of packed)
      for (let at = 0; at < bytes.length; ) {
        at = decoder.push(bytes, at, bytes.length, keep)
        if (size >= CHUNK) yield take()
      }
    if (size > 0) yield take()
    decoder.end()
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    if (size > 0) yield take()
    if (!any) throw error
    options.damaged?.(`compressed data ends early or is damaged (${error.message})`)
  }
}
