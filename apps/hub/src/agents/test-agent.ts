import type { AgentAction } from '@tapdeck/api'
import type { CompactCall } from '@tapdeck/dissect'
import type { Slots } from '../cluster/slots.ts'
import type { Log } from '../log.ts'
import type { AgentRecord } from './agent-record.ts'
import type { OwnConnections } from './own-connections.ts'
import { ScriptAction } from './script-action.ts'
import type { Emitted } from './script-message.ts'
import { deliveryId, sendWebhook } from './send-webhook.ts'

export interface TestOptions {
  readonly own: OwnConnections
  readonly log: Log
  readonly now: () => number
  readonly scriptThread: URL
  readonly threads: Slots
}

export interface TestedAction {
  readonly kind: AgentAction['kind']
  /** checked: it would act, and was not let to. */
  readonly result: 'done' | 'checked' | 'failed'
  readonly detail: string
}

const MAX_SHOWN = 20

/** Gives a call that never was to each action, once, and says what came of it. Counters and recordings stay as they are. */
export async function testAgent(
  record: AgentRecord,
  options: TestOptions,
): Promise<{ readonly call: CompactCall; readonly actions: TestedAction[] }> {
  const call = sampleCall(record.name, options.now())
  const actions = await Promise.all(
    record.actions.map(async (action) => {
      try {
        return { kind: action.kind, ...(await tryAction(action, call, record.name, options)) }
      } catch (error) {
        const detail = error instanceof Error ? error.message || error.name : String(error)
        return { kind: action.kind, result: 'failed' as const, detail }
      }
    }),
  )
  return { call, actions }
}

async function tryAction(
  action: AgentAction,
  call: CompactCall,
  agent: string,
  options: TestOptions,
): Promise<Omit<TestedAction, 'kind'>> {
  switch (action.kind) {
    case 'webhook': {
      const body = JSON.stringify({
        agent,
        sent_at: new Date(options.now()).toISOString(),
        sample: true,
        calls: [call],
        lost: 0,
      })
      const status = await sendWebhook({
        url: action.url,
        secret: action.secret,
        body,
        id: deliveryId(),
        signal: new AbortController().signal,
        opened: (ip, port) => options.own.add(ip, port),
      })
      const isTaken = status >= 200 && status < 300
      return { result: isTaken ? 'done' : 'failed', detail: `the receiver returned ${status}` }
    }
    case 'log':
      options.log[action.level]({ agent, call, sample: true }, 'network agent was tested')
      return { result: 'done', detail: `wrote a line to the log of the hub (${action.level})` }
    case 'metric':
      return { result: 'checked', detail: `would count in tapdeck_agent_${action.name}; nothing was counted` }
    case 'recording':
      return {
        result: 'checked',
        detail: `would ${action.do} the recording ${action.recording}; nothing was done`,
      }
    case 'script':
      return tryScript(action.source, call, options)
  }
}

/** Runs the script in a thread of its own, once; what it emits is shown instead of done. */
function tryScript(
  source: string,
  call: CompactCall,
  { scriptThread: thread, threads }: TestOptions,
): Promise<Omit<TestedAction, 'kind'>> {
  return new Promise((resolve) => {
    const said: Emitted[] = []
    const script = new ScriptAction({
      source,
      thread,
      threads,
      emitted: (emitted) => said.push(emitted),
      done: () => {
        script.close()
        const shown = said.slice(0, MAX_SHOWN).map((one) => asJson(one).slice(0, 300))
        resolve({
          result: 'checked',
          detail: shown.length > 0 ? `emitted ${shown.join(', ')}` : 'emitted nothing',
        })
      },
      failed: (reason) => resolve({ result: 'failed', detail: reason }),
    })
    script.take([call], 0)
  })
}

function asJson(emitted: Emitted): string {
  return 'webhook' in emitted ? `{"webhook":${emitted.webhook}}` : JSON.stringify(emitted)
}

/** Addresses of documentation (RFC 5737), so that no receiver takes it for traffic. */
function sampleCall(agent: string, now: number): CompactCall {
  return {
    id: `sample/${agent}/0`,
    ts: now,
    src: { ip: '192.0.2.1', port: 50_000, pod: 'sample-client', ns: 'sample' },
    dst: { ip: '192.0.2.2', port: 80, pod: 'sample-server', ns: 'sample', svc: 'sample' },
    proto: 'http',
    method: 'GET',
    path: '/sample',
    status: 500,
    latency_ms: 12.5,
    error: 'status 500',
  }
}
