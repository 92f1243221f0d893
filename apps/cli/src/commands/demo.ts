import { setTimeout as sleep } from 'node:timers/promises'
import { parseDuration } from '@tapdeck/units'
import { choice, text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { demoFaultNames, demoFaults, FaultSwitch } from '../demo/faults.ts'
import { keepRegistered } from '../demo/registration.ts'
import { openShop, sendVisitors } from '../demo/run-demo.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'
import { onStopRequest } from '../parts/stop-request.ts'

const defaultRate = 10
const defaultHealthy = '2m'
const [defaultFault = 'deadlock'] = demoFaultNames
/** `setTimeout` cannot wait longer, and does not wait at all then. */
const MAX_MS = 2 ** 31 - 1
/** The shop opens, whether or not a hub has answered by then. */
const MAX_ASK_MS = 5000

export const demo = command({
  name: 'demo',
  summary: 'Runs a small shop of real services with live traffic on this machine.',
  options: {
    rate: whole('N', `Visits a second. Default: ${defaultRate}.`, 1, 500),
    for: text('TIME', 'Ends after this time, such as 30s or 5m. Default: at Ctrl-C.'),
    'healthy-for': text(
      'TIME',
      `The shop breaks after this time; 0 breaks it at once. Default: ${defaultHealthy}.`,
    ),
    fault: choice(
      demoFaultNames,
      `How it breaks. ${demoFaultNames.map((name) => `${name}: ${demoFaults[name].doc}`).join('; ')}. Default: ${defaultFault}.`,
    ),
    ...connectionOptions,
  },
  notes:
    'The services listen on 127.0.10.x and are named as pods and services of the namespace `shop` on the hub, where they stay named.',
  async run(input) {
    const { options, terminal } = input
    const length = options.for === undefined ? undefined : milliseconds('--for', options.for)
    if (length === 0) throw new UsageError('--for: the shop must be open for some time')
    const healthyFor = milliseconds('--healthy-for', options['healthy-for'] ?? defaultHealthy)
    const fault = new FaultSwitch(options.fault ?? defaultFault)
    const closeShop = await openShop(fault)
    const stop = new AbortController()
    const forget = onStopRequest(() => stop.abort())
    const hub = openHub(input)
    const answered = new AbortController()
    const registration = keepRegistered(hub, stop.signal, (outcome) => {
      terminal.note(outcome === 'named' ? whatNext(hub.base) : noHub(hub.base))
      answered.abort()
    })
    // Calls before their pods are named would be of bare addresses.
    const signal = AbortSignal.any([stop.signal, answered.signal])
    await sleep(MAX_ASK_MS, undefined, { signal }).catch(() => undefined)
    const timer = length === undefined ? undefined : setTimeout(() => stop.abort(), length)
    const breakShop = () => {
      fault.throw()
      terminal.note(whenBroken(hub.base))
    }
    const breaking = healthyFor === 0 ? undefined : setTimeout(breakShop, healthyFor)
    if (healthyFor === 0) breakShop()
    try {
      const counts = await sendVisitors(options.rate ?? defaultRate, stop.signal)
      if (options.json) await showJson(terminal, counts)
      else terminal.note(`The shop is closed: ${counts.visits} visits, ${counts.failed} of them failed`)
      return exitStatus.done
    } finally {
      stop.abort()
      clearTimeout(timer)
      clearTimeout(breaking)
      forget()
      closeShop()
      await registration
    }
  },
})

function milliseconds(option: string, given: string): number {
  const length = given === '0' ? 0 : parseDuration(given)
  if (length === undefined) throw new UsageError(`${option}: "${given}" is no duration such as 30s or 5m`)
  if (length > MAX_MS) throw new UsageError(`${option}: at most 24d`)
  return length
}

function whenBroken(base: string): string {
  return `Something in the shop is broken now. Find the cause: ${base}/#suspects, or \`npx tapdeck suspects --since 10m\``
}

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
