/** What is wrong with what was typed, below its field. Nothing where nothing is. */
export function ProblemLine({ text }: { readonly text: string | undefined }) {
  if (!text) return null
  return (
    <p role="status" className="bad-text">
      {text}
    </p>
  )
}
