import { parseDuration } from '@tapdeck/units'
import { text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { keepRegistered } from '../demo/registration.ts'
import { openShop, sendVisitors } from '../demo/run-demo.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'
import { onStopRequest } from '../parts/stop-request.ts'

const defaultRate = 10
/** `setTimeout` cannot wait longer, and does not wait at all then. */
const MAX_MS = 2 ** 31 - 1

export const demo = command({
  name: 'demo',
  summary: 'Runs a small shop of real services with live traffic on this machine.',
  options: {
    rate: whole('N', `Visits a second. Default: ${defaultRate}.`, 1, 500),
    for: text('TIME', 'Ends after this time, such as 30s or 5m. Default: at Ctrl-C.'),
    ...connectionOptions,
  },
  notes:
    'The services listen on 127.0.10.x and are named as pods and services of the namespace `shop` on the hub, where they stay named.',
  async run(input) {
    const { options, terminal } = input
    const length = options.for === undefined ? undefined : parseDuration(options.for)
    if (options.for !== undefined && !length)
      throw new UsageError(`--for: "${options.for}" is no duration such as 30s or 5m`)
    if (length !== undefined && length > MAX_MS)
      throw new UsageError('--for: at most 24d; without it, the shop is open until Ctrl-C')
    const closeShop = await openShop()
    const stop = new AbortController()
    const forget = onStopRequest(() => stop.abort())
    const timer = length === undefined ? undefined : setTimeout(() => stop.abort(), length)
    const hub = openHub(input)
    const registration = keepRegistered(hub, stop.signal, (outcome) =>
      terminal.note(outcome === 'named' ? whatNext(hub.base) : noHub(hub.base)),
    )
    try {
      const counts = await sendVisitors(options.rate ?? defaultRate, stop.signal)
      if (options.json) await showJson(terminal, counts)
      else terminal.note(`The shop is closed: ${counts.visits} visits, ${counts.failed} of them failed`)
      return exitStatus.done
    } finally {
      stop.abort()
      clearTimeout(timer)
      forget()
      closeShop()
      await registration
    }
  },
})

function noHub(base: string): string {
  return `The shop is open. No hub answers at ${base}: start one with \`npm start\`, and the demo names its pods there.`
}

function whatNext(base: string): string {
  const query = (kfl: string) => `  curl -sG ${base}/mcp/calls --data-urlencode 'kfl=${kfl}' -d limit=5`
  return [
    `The shop is open, and the hub at ${base} knows its pods and services. Look at the dashboard there, or try:`,
    query('src.pod == "checkout-0" and request.path contains "payments"'),
    query('dst.svc == "inventory" and response.status == 500'),
    query('dns and response.status == "NXDOMAIN"'),
    '  npx tapdeck stats --by service',
    '  npx tapdeck snapshot create first --duration 1m --wait && npx tapdeck dissection start first all --wait',
    '  npx tapdeck calls --db first/all --kfl \'dst.svc == "payments"\'',
  ].join('\n')
}
