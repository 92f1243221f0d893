/** Filters to begin with, from what people ask first. */
const examples = [
  'failed',
  'response.status == 500',
  'latency > 100ms',
  'request.method == "POST"',
  'proto == "dns"',
] as const

export function Examples({ onPick }: { readonly onPick: (filter: string) => void }) {
  return (
    <ul className="examples" aria-label="Example filters">
      {examples.map((example) => (
        <li key={example}>
          <button type="button" onClick={() => onPick(example)}>
            {example}
          </button>
        </li>
      ))}
    </ul>
  )
}
