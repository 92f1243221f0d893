/**
 * Runs in the page before its scripts: keeps what is drawn on each canvas since it was last cleared as SVG, in `canvas.drawn`.
 * It knows what the chart and the map use, and nothing else.
 */
export function recordCanvas() {
  const short = (value) => Math.round(value * 10) / 10
  const steps = {
    moveTo: (x, y) => `M${short(x)} ${short(y)}`,
    lineTo: (x, y) => `L${short(x)} ${short(y)}`,
    quadraticCurveTo: (a, b, x, y) => `Q${short(a)} ${short(b)} ${short(x)} ${short(y)}`,
    bezierCurveTo: (a, b, c, d, x, y) => `C${[a, b, c, d, x, y].map(short).join(' ')}`,
    rect: (x, y, w, h) => `M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}z`,
    roundRect: (x, y, w, h, r) => {
      const c = Math.min(typeof r === 'number' ? r : 0, w / 2, h / 2)
      const turn = (dx, dy) => `a${c} ${c} 0 0 1 ${dx} ${dy}`
      return `M${short(x + c)} ${short(y)}h${short(w - 2 * c)}${turn(c, c)}v${short(h - 2 * c)}${turn(-c, c)}h${short(2 * c - w)}${turn(-c, -c)}v${short(2 * c - h)}${turn(c, -c)}z`
    },
    arc: (x, y, r) => `M${short(x - r)} ${short(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    closePath: () => 'z',
  }
  class RecordedPath extends Path2D {
    d
    constructor(other) {
      super(other)
      this.d = other instanceof RecordedPath ? other.d : ''
    }
    addPath(other, ...rest) {
      super.addPath(other, ...rest)
      this.d += other.d ?? ''
    }
  }
  const context = CanvasRenderingContext2D.prototype
  for (const [name, step] of Object.entries(steps)) {
    for (const prototype of [context, RecordedPath.prototype]) {
      const plain = prototype[name] ?? Path2D.prototype[name]
      prototype[name] = function (...given) {
        // A path that begins with a line begins at its end, on a canvas.
        this.d = this.d ? this.d + step(...given) : step(...given).replace(/^L/, 'M')
        return plain.apply(this, given)
      }
    }
  }
  globalThis.Path2D = RecordedPath

  const wrap = (name, before) => {
    const plain = context[name]
    context[name] = function (...given) {
      before.call(this, ...given)
      return plain.apply(this, given)
    }
  }
  const matrix = (of) => {
    const { a, b, c, d, e, f } = of.getTransform()
    return `transform="matrix(${[a, b, c, d, e, f].map((value) => Math.round(value * 1000) / 1000).join(' ')})"`
  }
  const add = (of, svg) => {
    of.canvas.drawn ??= []
    of.canvas.drawn.push(svg)
  }
  const paint = (style) => (typeof style === 'string' ? style : 'url(#hatch)')
  const alpha = (of) => (of.globalAlpha < 1 ? ` opacity="${short(of.globalAlpha)}"` : '')
  wrap('beginPath', function () {
    this.d = ''
  })
  wrap('clearRect', function () {
    this.canvas.drawn = []
  })
  wrap('stroke', function (path) {
    const dash = this.getLineDash().length > 0 ? ` stroke-dasharray="${this.getLineDash().join(' ')}"` : ''
    if (this.lineWidth > 0)
      add(
        this,
        `<path ${matrix(this)} d="${path?.d ?? this.d}" fill="none" stroke="${paint(this.strokeStyle)}" stroke-width="${this.lineWidth}"${dash}${alpha(this)}/>`,
      )
  })
  wrap('fill', function (path) {
    const d = typeof path === 'object' ? path.d : this.d
    add(this, `<path ${matrix(this)} d="${d}" fill="${paint(this.fillStyle)}"${alpha(this)}/>`)
  })
  wrap('fillRect', function (x, y, w, h) {
    add(
      this,
      `<rect ${matrix(this)} x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" fill="${paint(this.fillStyle)}"${alpha(this)}/>`,
    )
  })
  wrap('fillText', function (text, x, y) {
    if (String(text).trim() === '') return
    const anchor = { center: 'middle', right: 'end', end: 'end' }[this.textAlign] ?? 'start'
    const base =
      { middle: 'central', top: 'text-before-edge', hanging: 'hanging' }[this.textBaseline] ?? 'auto'
    const size = /([\d.]+)px/.exec(this.font)?.[1] ?? 11
    const bold = /\b(600|700|bold)\b/.test(this.font) ? ' font-weight="600"' : ''
    const plain = String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    add(
      this,
      `<text ${matrix(this)} x="${short(x)}" y="${short(y)}" font-size="${size}" text-anchor="${anchor}" dominant-baseline="${base}"${bold} xml:space="preserve" fill="${paint(this.fillStyle)}"${alpha(this)}>${plain}</text>`,
    )
  })
}
