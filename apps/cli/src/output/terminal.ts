import { writerOf } from './writer-of.ts'

/** Where a command speaks: results on `out`, everything else on `note`. */
export interface Terminal {
  /** Resolves when it is written, and bytes may be used anew; rejects nothing: a reader that went away ends the process silently. */
  out(text: string | Uint8Array): Promise<void>
  note(line: string): void
  /** Replaces the line before, on a screen; an empty one takes it away. */
  status(line: string): void
  /** Whether results go to a person's screen, and how wide it is. */
  readonly isScreen: boolean
  readonly width: number
  readonly noteIsScreen: boolean
}

/** The process's own streams. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `tapdeck dissect … | head`: whoever read has seen enough.
      if (error.code === 'EPIPE') process.exit(0)
      // Such as a full disk behind `> file`: what was printed is not whole.
      if (stream === stdout) stderr.write(`tapdeck: the output cannot be written: ${error.message}\n`)
      process.exit(1)
    })
  return {
    out: writerOf(stdout),
    note: (line) => void stderr.write(`${line}\n`),
    status: (line) => void stderr.write(`\r\u001b[K${line}`),
    isScreen: stdout.isTTY === true,
    width: stdout.columns ?? 120,
    noteIsScreen: stderr.isTTY === true,
  }
}
