import { HubProblem } from './hub-problem.ts'

export interface FetchedBytes {
  readonly bytes: Uint8Array
  /** There was more; only the first bytes were read. */
  readonly isCut: boolean
}

/** The first `max` bytes of a download of the hub. Throws `HubProblem`, or the signal's reason after an abort. */
export async function fetchBytes(address: string, max: number, signal?: AbortSignal): Promise<FetchedBytes> {
  let response: Response
  try {
    response = await fetch(address, signal ? { signal } : {})
  } catch (reason) {
    if (signal?.aborted) throw reason
    throw HubProblem.unreachable()
  }
  if (!response.ok || !response.body) {
    const body: unknown = await response.json().catch(() => undefined)
    throw new HubProblem(response.status, typeof body === 'object' && body !== null ? { ...body } : {})
  }
  const reader = response.body.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  while (length <= max) {
    const { done, value } = await reader.read()
    if (done) return { bytes: joined(pieces, length), isCut: false }
    pieces.push(value)
    length += value.length
  }
  await reader.cancel()
  return { bytes: joined(pieces, length).subarray(0, max), isCut: true }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
