/** `0.42 ms`, `12 ms`, `3.1 s`. */
export function formatMs(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms >= 10 ? Math.round(ms) : ms.toFixed(2)} ms`
}
