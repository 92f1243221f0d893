import type { Terminal } from '../output/terminal.ts'

/** A terminal that keeps its output, for tests. */
export function recordingTerminal(shown: { isScreen?: boolean; width?: number } = {}): Terminal & {
  readonly outText: string
  readonly notes: readonly string[]
} {
  const notes: string[] = []
  let outText = ''
  return {
    async out(text) {
      outText += typeof text === 'string' ? text : Buffer.from(text).toString()
    },
    note: (line) => void notes.push(line),
    status: () => undefined,
    isScreen: shown.isScreen ?? false,
    width: shown.width ?? 80,
    noteIsScreen: false,
    hasColour: false,
    notes,
    get outText() {
      return outText
    },
  }
}
