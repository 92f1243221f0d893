import type { ExtcapInterface } from './interfaces.ts'

/** Numbers of the controls in the toolbar. */
export const CONTROL = { kfl: 0, log: 1 } as const

/** The option of a capture: what Wireshark shows, and the option that it calls us with. */
interface Argument {
  readonly call: string
  readonly display: string
  readonly type: 'string' | 'password' | 'boolflag' | 'fileselect'
  readonly tooltip: string
  readonly group?: string
  /** More attributes, such as `mustexist`. */
  readonly more?: Readonly<Record<string, string>>
}

const HUB = 'Hub'
const args: readonly Argument[] = [
  { call: '--kfl', display: 'KFL filter', type: 'string', tooltip: 'Only the connections of matching calls' },
  {
    call: '--since',
    display: 'Past window',
    type: 'string',
    tooltip: 'The most recent time instead of live packets, such as 5m',
  },
  { call: '--start', display: 'From', type: 'string', tooltip: 'A past window from this time on: RFC 3339' },
  { call: '--end', display: 'To', type: 'string', tooltip: 'A past window up to this time: RFC 3339' },
  {
    call: '--tls-keys',
    display: 'With TLS keys',
    type: 'boolflag',
    tooltip: 'Wireshark shows what was encrypted; needs tls:read',
  },
  {
    ...{ call: '--url', display: 'URL of the hub', type: 'string', group: HUB },
    tooltip: 'Default: TAPDECK_URL, else http://127.0.0.1:8898',
  },
  {
    ...{ call: '--token-file', display: 'File with the token', type: 'fileselect', group: HUB },
    tooltip: 'For a hub that requires authentication',
    more: { mustexist: 'true' },
  },
  {
    ...{ call: '--token', display: 'Token', type: 'password', group: HUB },
    tooltip: 'The token itself; prefer a file',
  },
]

/** The answer to --extcap-interfaces. */
export function describeInterfaces(interfaces: readonly ExtcapInterface[], version: string): string {
  return lines([
    sentence('extcap', { version, display: 'Tapdeck' }),
    ...interfaces.map(({ value, display }) => sentence('interface', { value, display })),
    sentence('control', {
      ...{ number: String(CONTROL.kfl), type: 'string', display: 'KFL' },
      tooltip: 'Only the connections of matching calls; applies at once to a live capture',
      placeholder: 'response.status >= 500',
    }),
    sentence('control', {
      ...{ number: String(CONTROL.log), type: 'button', role: 'logger', display: 'Log' },
      tooltip: 'What is missing of this capture',
    }),
  ])
}

/** The answer to --extcap-dlts. Packets of other links say so themselves. */
export function describeLinks(): string {
  return lines([sentence('dlt', { number: '1', name: 'EN10MB', display: 'Ethernet' })])
}

/** The answer to --extcap-config. */
export function describeOptions(): string {
  return lines(
    args.map(({ call, display, type, tooltip, group, more }, number) =>
      sentence('arg', {
        ...{ number: String(number), call, display, type, tooltip },
        ...(group !== undefined && { group }),
        ...more,
      }),
    ),
  )
}

/** A brace would end a value. */
function sentence(word: string, values: Readonly<Record<string, string>>): string {
  const all = Object.entries(values).map(
    ([key, value]) => `{${key}=${value.replaceAll(/[{}\p{Cc}]/gu, ' ')}}`,
  )
  return `${word} ${all.join('')}`
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('')
}
