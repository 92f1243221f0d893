import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Malformed } from '@tapdeck/wire'

const CHUNK = 1 << 20

export interface CaptureFileOptions {
  /** Told once where compressed input ends early or is damaged; what came before it was handed on. */
  readonly damaged?: (reason: string) => void
}

/**
 * The bytes of a pcap or pcapng file, or of any stream of them; gzip is recognised by its magic and unpacked.
 * Throws what the file system throws, and `Malformed` for compression that is not read here.
 */
export async function* openCaptureFile(
  source: string | AsyncIterable<Uint8Array>,
  options: CaptureFileOptions = {},
): AsyncGenerator<Uint8Array> {
  const chunks = typeof source === 'string' ? createReadStream(source, { highWaterMark: CHUNK }) : source
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    const head = await readHead(iterator)
    if (startsWith(head, [0x28, 0xb5, 0x2f, 0xfd]))
      throw new Malformed('the file is compressed with zstd: unpack it first (unzstd)')
    const whole = rejoin(head, iterator)
    if (startsWith(head, [0x1f, 0x8b])) yield* gunzip(whole, options)
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

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte)
}
