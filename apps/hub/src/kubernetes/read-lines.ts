import type { IncomingMessage } from 'node:http'

/** etcd refuses objects above 1.5 MiB by default. */
const MAX_LINE = 16 << 20

/** The lines of an answer as they come. A line that is too long ends it with an error. */
export async function* readLines(answer: IncomingMessage): AsyncGenerator<string> {
  answer.setEncoding('utf8')
  let rest = ''
  for await (const chunk of answer as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const line of lines) if (line !== '') yield line
    if (rest.length > MAX_LINE) throw new Error('the API server sends a line that is too long')
  }
}

export async function readWhole(answer: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > most) throw new Error(`the API server sends more than ${most} bytes for one page of a list`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
