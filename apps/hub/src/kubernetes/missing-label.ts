/** Which nodes have the labels of a selector, and what one of the others has instead; undefined: it has them all. */
export function missingLabel(
  selector: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const other = Object.entries(selector).find(([label, value]) => labels[label] !== value)
  if (other === undefined) return undefined
  const [label, value] = other
  const own = labels[label] === undefined ? `no label ${label}` : `${label}=${labels[label]}`
  return `only on nodes with the label ${label}=${value}, and this node has ${own}`
}
