/** 0 to 100. */
export function Progress({ value, label }: { readonly value: number; readonly label: string }) {
  const percent = Math.min(100, Math.max(0, value))
  return (
    <span
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.round(percent)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  )
}
