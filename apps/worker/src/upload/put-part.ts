import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@tapdeck/api'

export interface PartRequest {
  /** Signed by the hub: nothing of it but the origin is reported or logged. */
  readonly url: string
  readonly bytes: Uint8Array
  /** Base64. */
  readonly md5: string
}

const MAX_ATTEMPTS = 4
const FIRST_PAUSE_MS = 500
const MAX_ANSWER = 4096

/** Sends a part to the address that the hub signed. Retries what may pass. Throws 502 with the reason. */
export async function putPart(part: PartRequest, signal: AbortSignal, pause = FIRST_PAUSE_MS): Promise<void> {
  const { origin, protocol } = new URL(part.url)
  if (protocol !== 'https:' && protocol !== 'http:') throw failed(`${protocol} is no address of a storage`)
  for (let attempt = 1; ; attempt++) {
    const problem = await attemptPut(part, origin, signal)
    if (problem === undefined) return
    if (signal.aborted || !problem.isTemporary || attempt === MAX_ATTEMPTS) throw failed(problem.reason)
    await sleep(pause * 2 ** (attempt - 1), undefined, { signal }).catch(() => {
      throw failed(problem.reason)
    })
  }
}

interface Refusal {
  readonly reason: string
  readonly isTemporary: boolean
}

async function attemptPut(
  { url, bytes, md5 }: PartRequest,
  origin: string,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'PUT',
      body: bytes as Uint8Array<ArrayBuffer>,
      headers: { 'content-md5': md5 },
      // A storage that sends the packets elsewhere is not the one that the hub meant.
      redirect: 'manual',
      signal,
    })
    const text = await beginOf(answer)
    if (answer.ok) return undefined
    const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1]
    const reason = `${origin} answered ${answer.status}${code === undefined ? '' : ` ${code}`}`
    return { reason, isTemporary: answer.status >= 500 || answer.status === 429 }
  } catch (error) {
    if (signal.aborted) return { reason: `${origin} took too long`, isTemporary: false }
    const { message, cause } = error as Error
    const { code, message: detail } = (cause ?? {}) as { code?: string; message?: string }
    return { reason: `cannot reach ${origin}: ${code ?? detail ?? message}`, isTemporary: true }
  }
}

/** The rest of an answer is not wanted. */
async function beginOf({ body }: Response): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length > MAX_ANSWER) break
  }
  return text
}

function failed(reason: string): Problem {
  return new Problem(502, 'upload_failed', reason)
}
