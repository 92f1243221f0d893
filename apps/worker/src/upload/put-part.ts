import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@tapdeck/api'
import type { OwnAgents } from '@tapdeck/own-ports'

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
export async function putPart(
  part: PartRequest,
  agents: OwnAgents,
  signal: AbortSignal,
  pause = FIRST_PAUSE_MS,
): Promise<void> {
  const { protocol } = new URL(part.url)
  if (protocol !== 'https:' && protocol !== 'http:') throw failed(`${protocol} is no address of a storage`)
  for (let attempt = 1; ; attempt++) {
    const problem = await attemptPut(part, agents, signal)
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
  agents: OwnAgents,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  const { origin, protocol } = new URL(url)
  try {
    // Redirects are not followed: a storage that sends the packets elsewhere is not the one that the hub meant.
    const sent = (protocol === 'https:' ? httpsRequest : httpRequest)(url, {
      method: 'PUT',
      headers: { 'content-length': bytes.length, 'content-md5': md5 },
      agent: agents.of(url),
      signal,
    })
    // A storage may answer and close before it has read everything.
    sent.on('error', () => {})
    // Node.js would close the connection and report nothing.
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      sent.emit('error', new Error('it answered 101'))
    })
    sent.end(bytes)
    // The signal does not end a request that waits for its connection.
    const [answer] = (await once(sent, 'response', { signal })) as [IncomingMessage]
    const { statusCode: status = 0 } = answer
    const text = await beginOf(answer)
    // The storage does not read the rest of the part.
    if (!sent.writableFinished) sent.destroy()
    if (status >= 200 && status < 300) return undefined
    const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1]
    const reason = `${origin} answered ${status}${code === undefined ? '' : ` ${code}`}`
    return { reason, isTemporary: status >= 500 || status === 429 }
  } catch (error) {
    if (signal.aborted) return { reason: `${origin} took too long`, isTemporary: false }
    const { message, code } = error as NodeJS.ErrnoException
    return { reason: `cannot reach ${origin}: ${code ?? message}`, isTemporary: true }
  }
}

/** The rest of an answer is not wanted. */
async function beginOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8')
  let text = ''
  for await (const some of answer) {
    text += some
    if (text.length > MAX_ANSWER) break
  }
  return text
}

function failed(reason: string): Problem {
  return new Problem(502, 'upload_failed', reason)
}
