/** A part of a line of Markdown. HTML is not among them: a tag is text like any other. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'emphasis'; readonly parts: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly parts: readonly Inline[] }
  | { readonly kind: 'image'; readonly src: string; readonly alt: string }

/** Each alternative excludes its own end, so that no input is read twice. */
const MARK =
  /\\([\\`*_{}[\]()#+.!|<>-])|(`+)|!\[([^\]]*)\]\(([^()\s]*)\)|\[((?:[^[\]`]|`[^`]*`)*)\]\(([^()\s]*)\)|<(https?:[^<>\s]*)>|(\*\*|\*)(?=\S)/g

/** Emphasis within links within emphasis; deeper marks stay text. */
const MAX_DEPTH = 4

export function parseInline(line: string, depth = 0): readonly Inline[] {
  if (depth > MAX_DEPTH) return [{ kind: 'text', text: line }]
  const parts: Inline[] = []
  let done = 0
  const text = (end: number) => {
    if (end > done) parts.push({ kind: 'text', text: line.slice(done, end) })
  }
  const mark = new RegExp(MARK)
  for (let found = mark.exec(line); found !== null; found = mark.exec(line)) {
    const [all, escaped, ticks, alt, src, label, href, address, stars] = found
    let part: Inline | undefined
    let end = found.index + all.length
    if (escaped !== undefined) part = { kind: 'text', text: escaped }
    else if (src !== undefined) part = { kind: 'image', src, alt: alt ?? '' }
    else if (href !== undefined) part = { kind: 'link', href, parts: parseInline(label ?? '', depth + 1) }
    else if (address !== undefined)
      part = { kind: 'link', href: address, parts: [{ kind: 'text', text: address }] }
    else {
      const fence = ticks ?? stars ?? ''
      const close = ticks === undefined ? closingStars(line, fence, end) : closingTicks(line, fence, end)
      if (close < 0) continue
      const inner = line.slice(end, close)
      if (ticks !== undefined) part = { kind: 'code', text: inner }
      else part = { kind: fence === '**' ? 'strong' : 'emphasis', parts: parseInline(inner, depth + 1) }
      end = close + fence.length
    }
    text(found.index)
    parts.push(part)
    done = end
    mark.lastIndex = end
  }
  text(line.length)
  return parts
}

/** The words alone. */
export function plainText(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      if ('text' in part) return part.text
      return part.kind === 'image' ? part.alt : plainText(part.parts)
    })
    .join('')
}

function closingTicks(line: string, ticks: string, from: number): number {
  for (let at = line.indexOf(ticks, from); at >= 0; at = line.indexOf(ticks, at)) {
    let end = at
    while (line[end] === '`') end++
    if (end - at === ticks.length) return at
    at = end
  }
  return -1
}

/** The stars that end an emphasis: after a letter, outside of code. */
function closingStars(line: string, stars: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    if (line[at] === '`') {
      const ticks = /`+/y
      ticks.lastIndex = at
      const fence = ticks.exec(line)?.[0] ?? '`'
      const close = closingTicks(line, fence, at + fence.length)
      at = (close < 0 ? at : close) + fence.length - 1
    } else if (line.startsWith(stars, at) && at > from && line[at - 1] !== ' ') {
      if (stars === '**' || line[at + 1] !== '*') return at
      at++
    }
  }
  return -1
}
