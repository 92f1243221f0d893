import { linearScale, logScale } from './scale.ts'

export interface Series {
  readonly name: string
  /** Pairs of x and y. */
  readonly points: readonly (readonly [number, number])[]
  /** A second line of the same color, dashed: the 95th percentile of a series of medians. */
  readonly dashed?: readonly (readonly [number, number])[]
}

interface Labels {
  readonly title: string
  readonly x: string
  readonly y: string
  /** Axes on which equal distances are equal factors. */
  readonly log?: readonly ('x' | 'y')[]
}

const WIDTH = 660
const HEIGHT = 240
const LEFT = 56
const RIGHT = 170
const TOP = 28
const BOTTOM = 36
const colors = ['#2563eb', '#d97706', '#059669', '#9333ea', '#dc2626']

/**
 * A line chart as an SVG text, readable on a light and on a dark page. Linear axes begin at zero, so that "flat" looks flat. Lines with
 * few points have markers.
 */
export function lineChart(labels: Labels, series: readonly Series[]): string {
  const all = series.flatMap(({ points, dashed = [] }) => [...points, ...dashed])
  const xs = all.map(([x]) => x)
  const ys = all.map(([, y]) => y)
  const { log = [] } = labels
  const across = log.includes('x') ? logScale(xs, 'given') : linearScale(Math.max(...xs))
  const up = log.includes('y') ? logScale(ys, 'powers') : linearScale(niceCeiling(Math.max(...ys)))
  const px = (x: number) => LEFT + across.at(x) * (WIDTH - LEFT - RIGHT)
  const py = (y: number) => HEIGHT - BOTTOM - up.at(y) * (HEIGHT - TOP - BOTTOM)
  const line = (points: Series['points']) =>
    points.map(([x, y]) => `${px(x).toFixed(1)},${py(y).toFixed(1)}`).join(' ')
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(labels.title)}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="16" font-size="13" fill="#111827">${escaped(labels.title)}</text>`,
    ...up.ticks.flatMap((y) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${py(y).toFixed(1)}" y2="${py(y).toFixed(1)}" stroke="#e5e7eb"/>`,
      `<text x="${LEFT - 6}" y="${(py(y) + 4).toFixed(1)}" text-anchor="end" fill="#4b5563">${short(y)}</text>`,
    ]),
    ...across.ticks.map(
      (x) =>
        `<text x="${px(x).toFixed(1)}" y="${HEIGHT - BOTTOM + 14}" text-anchor="middle" fill="#4b5563">${short(x)}</text>`,
    ),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle" fill="#4b5563">${escaped(labels.x)}</text>`,
    `<text x="12" y="${(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" fill="#4b5563" transform="rotate(-90 12 ${(TOP + HEIGHT - BOTTOM) / 2})">${escaped(labels.y)}</text>`,
    ...series.flatMap(({ name, points, dashed }, i) => {
      const color = colors[i % colors.length]
      const stroke = `fill="none" stroke="${color}" stroke-width="1.5"`
      return [
        `<polyline ${stroke} points="${line(points)}"/>`,
        ...(dashed ? [`<polyline ${stroke} stroke-dasharray="4 3" points="${line(dashed)}"/>`] : []),
        ...(points.length < MARKED ? points : []).map(
          ([x, y]) => `<circle cx="${px(x).toFixed(1)}" cy="${py(y).toFixed(1)}" r="2.5" fill="${color}"/>`,
        ),
        `<text x="${WIDTH - RIGHT + 8}" y="${TOP + 12 + i * 16}" fill="${color}">${escaped(name)}</text>`,
      ]
    }),
    '</svg>',
  ].join('\n')}\n`
}

const MARKED = 20

/** 1, 2, 2.5 or 5 times a power of ten. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value || 1))
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((one) => one >= value) ?? value
}

function short(value: number): string {
  if (value >= 1e6) return `${+(value / 1e6).toFixed(1)}M`
  if (value >= 1e3) return `${+(value / 1e3).toFixed(1)}k`
  return `${+value.toFixed(value < 10 ? 1 : 0)}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
