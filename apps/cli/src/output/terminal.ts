import { visiblePlainText, visibleText } from '@tapdeck/api/visible-text'
import { ByteEscaper } from './byte-escaper.ts'
import { writerOf } from './writer-of.ts'

/** Output of a command: results on `out`, everything else on `note`. */
export interface Terminal {
  /** Resolves when it is written; then bytes may be reused. Never rejects: a reader that went away ends the process silently. */
  out(text: string | Uint8Array): Promise<void>
  note(line: string): void
  /** Replaces the line before, on a screen; an empty one takes it away. */
  status(line: string): void
  /** Whether results go to a person's screen, and how wide it is. */
  readonly isScreen: boolean
  readonly width: number
  readonly noteIsScreen: boolean
  /** Colours are for a terminal, and not where NO_COLOR is set (https://no-color.org). */
  readonly hasColour: boolean
}

/** The process's own streams. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // `tapdeck dissect … | head`: the reader has seen enough.
      if (error.code === 'EPIPE') process.exit(0)
      // Such as a full disk behind `> file`: what was printed is not whole.
      if (stream === stdout) stderr.write(`tapdeck: the output cannot be written: ${error.message}\n`)
      process.exit(1)
    })
  const write = writerOf(stdout)
  const escaper = new ByteEscaper()
  const safe = (text: string | Uint8Array) =>
    typeof text === 'string' ? visibleText(text) : escaper.escape(text)
  return {
    // Captured text must not steer the terminal; a file gets it as it is.
    out: stdout.isTTY === true ? (text) => write(safe(text)) : write,
    note: (line) => void stderr.write(`${visiblePlainText(line)}\n`),
    status: (line) => void stderr.write(`\r\u001b[K${visiblePlainText(line)}`),
    isScreen: stdout.isTTY === true,
    width: stdout.columns ?? 120,
    noteIsScreen: stderr.isTTY === true,
    hasColour: stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
  }
}
