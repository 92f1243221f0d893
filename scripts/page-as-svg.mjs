/**
 * Runs in the page: an SVG of what is on screen, as boxes, texts, icons and what was drawn on canvases. Text stays text, so the
 * picture is small, sharp at every size, and no binary file.
 */
export function pageAsSvg() {
  const parts = []
  const short = (value) => Math.round(value * 10) / 10
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const isClear = (color) => color === 'transparent' || /, 0\)$/.test(color)
  const within = (a, b) => ({
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  })
  const isEmpty = ({ left, top, right, bottom }) => right - left < 1 || bottom - top < 1
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight }

  const box = (style, area, clip) => {
    const shown = within(area, clip)
    if (isEmpty(shown)) return
    const at = `x="${short(shown.left)}" y="${short(shown.top)}" width="${short(shown.right - shown.left)}" height="${short(shown.bottom - shown.top)}"`
    const radius = Math.min(Number.parseFloat(style.borderTopLeftRadius) || 0, area.height / 2)
    const round = radius > 0 ? ` rx="${short(radius)}"` : ''
    const sides = ['Top', 'Right', 'Bottom', 'Left'].map((side) => ({
      side,
      width: style[`border${side}Style`] === 'none' ? 0 : Number.parseFloat(style[`border${side}Width`]),
      color: style[`border${side}Color`],
    }))
    const seen = sides.filter(({ width, color }) => width > 0 && !isClear(color))
    const fill = isClear(style.backgroundColor) ? '' : style.backgroundColor
    if (seen.length === 4)
      parts.push(`<rect ${at}${round} fill="${fill || 'none'}" stroke="${seen[0].color}"/>`)
    else if (fill) parts.push(`<rect ${at}${round} fill="${fill}"/>`)
    if (seen.length === 4) return
    for (const { side, width, color } of seen) {
      const vertical = side === 'Left' || side === 'Right'
      const x = side === 'Right' ? area.right - width : area.left
      const y = side === 'Bottom' ? area.bottom - width : area.top
      const edge = within(
        {
          left: x,
          top: y,
          right: vertical ? x + width : area.right,
          bottom: vertical ? area.bottom : y + width,
        },
        clip,
      )
      if (edge.right > edge.left && edge.bottom > edge.top)
        parts.push(
          `<path d="M${short(edge.left)} ${short(edge.top)}H${short(edge.right)}V${short(edge.bottom)}H${short(edge.left)}z" fill="${color}"/>`,
        )
    }
  }

  const line = (text, left, top, bottom, width, style) => {
    const plain = text.replace(/\s+$/, '')
    if (plain.trim() === '') return
    const size = Number.parseFloat(style.fontSize)
    const look = `${/mono/i.test(style.fontFamily) ? 'm' : 's'}${Number(style.fontWeight) >= 600 ? ' b' : ''}`
    const base = (top + bottom) / 2 + size * 0.36
    parts.push(
      `<text class="${look}" x="${short(left)}" y="${short(base)}" font-size="${short(size)}" textLength="${short(width)}" lengthAdjust="spacingAndGlyphs" fill="${style.color}">${escaped(plain)}</text>`,
    )
  }

  /** One text for each line of a text node, cut where its box cuts it. */
  const texts = (node, style, clip) => {
    const range = document.createRange()
    const words = [...node.data.matchAll(/\S+\s*/g)]
    let current
    const flush = () => {
      if (current)
        line(current.text, current.left, current.top, current.bottom, current.right - current.left, style)
      current = undefined
    }
    for (const word of words) {
      const plain = word[0].trimEnd()
      range.setStart(node, word.index)
      range.setEnd(node, word.index + plain.length)
      let area = range.getBoundingClientRect()
      let text = plain
      if (area.bottom > clip.bottom + 4 || area.top < clip.top - 4 || area.left >= clip.right - 2) continue
      while (area.right > clip.right + 1 && text.length > 1) {
        text = text.slice(0, -1)
        range.setEnd(node, word.index + text.length)
        area = range.getBoundingClientRect()
      }
      if (area.width < 1) continue
      if (text !== plain) text = `${text.slice(0, -1)}…`
      if (current && Math.abs(current.top - area.top) < 3 && area.left - current.right < 14) {
        current.text += ` ${text}`
        current.right = area.right
      } else {
        flush()
        current = { text, left: area.left, right: area.right, top: area.top, bottom: area.bottom }
      }
    }
    flush()
  }

  const visit = (element, clip) => {
    const style = getComputedStyle(element)
    const area = element.getBoundingClientRect()
    if (style.display === 'none' || style.visibility === 'hidden' || Number(style.opacity) < 0.1) return
    if (style.clipPath !== 'none') return
    if (element instanceof SVGSVGElement) {
      if (isEmpty(within(area, clip))) return
      const stroke = element.getAttribute('stroke') === 'none' ? 'none' : style.color
      const inner = element.innerHTML.replaceAll('currentColor', style.color)
      parts.push(
        `<svg x="${short(area.left)}" y="${short(area.top)}" width="${short(area.width)}" height="${short(area.height)}" viewBox="0 0 16 16" fill="none" stroke="${stroke}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">${inner}</svg>`,
      )
      return
    }
    box(style, area, clip)
    if (element instanceof HTMLCanvasElement) {
      const scale = area.width / element.width
      parts.push(
        `<svg x="${short(area.left)}" y="${short(area.top)}" width="${short(area.width)}" height="${short(area.height)}"><g class="s" transform="scale(${scale})">${(element.drawn ?? []).join('')}</g></svg>`,
      )
      return
    }
    if (element.type === 'radio' || element.type === 'checkbox') {
      const radius = short(element.type === 'radio' ? area.width / 2 : 2)
      parts.push(
        `<rect x="${short(area.left)}" y="${short(area.top)}" width="${short(area.width)}" height="${short(area.height)}" rx="${radius}" fill="none" stroke="#767676"/>`,
      )
      if (element.checked)
        parts.push(
          `<circle cx="${short(area.left + area.width / 2)}" cy="${short(area.top + area.height / 2)}" r="${short(area.width / 3.5)}" fill="#1f5fd0"/>`,
        )
      return
    }
    if (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) {
      const text =
        element instanceof HTMLSelectElement
          ? (element.selectedOptions[0]?.text ?? '')
          : element.value || element.placeholder
      const left = area.left + Number.parseFloat(style.paddingLeft) + 2
      const room = area.right - left - 8
      const size = Number.parseFloat(style.fontSize)
      const letter = size * (/mono/i.test(style.fontFamily) ? 0.6 : 0.54)
      const shown = text.length * letter > room ? `${text.slice(0, Math.floor(room / letter) - 1)}…` : text
      if (element.type !== 'file') line(shown, left, area.top, area.bottom, shown.length * letter, style)
      return
    }
    const inner = style.overflow === 'visible' && style.overflowX === 'visible' ? clip : within(clip, area)
    if (isEmpty(inner)) return
    for (const child of element.childNodes) {
      const isFolded = element instanceof HTMLDetailsElement && !element.open && child.nodeName !== 'SUMMARY'
      if (isFolded) continue
      if (child.nodeType === Node.TEXT_NODE) texts(child, style, inner)
      else if (child.nodeType === Node.ELEMENT_NODE) visit(child, inner)
    }
  }

  visit(document.body, screen)
  const { fontFamily } = getComputedStyle(document.body)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${innerWidth}" height="${innerHeight}" viewBox="0 0 ${innerWidth} ${innerHeight}">`,
    `<style>.s{font-family:${fontFamily.replaceAll('"', "'")}}.m{font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}.b{font-weight:600}</style>`,
    '<defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse"><path d="M0 8 8 0M-2 2 2-2M6 10 10 6" stroke="#d08a1d" stroke-width="1.25"/></pattern></defs>',
    ...parts,
    '</svg>\n',
  ].join('\n')
}
